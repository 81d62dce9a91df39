#include "warpwise/primitives/shared/explain_case.hpp"

#include "warpwise/base/image.hpp"

namespace warpwise::explain_cases {

gpu::DeviceImage Operands::random(ElementType type, std::int64_t width, std::int64_t height,
                                  int channels) {
  // Allocates on the device first, because the device reports sizes that are too large.
  gpu::DeviceImage image = empty(type, width, height, channels);
  Image host(type, width, height, channels);
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width * channels; ++x) put(host.view().row(y), type, x);
  }
  gpu::upload(host.view(), image.view(), stream_);
  stream_.synchronize();
  return image;
}

void Operands::put(std::byte* row, ElementType type, std::int64_t x) {
  state_ = state_ * 6364136223846793005U + 1442695040888963407U;
  const auto byte = static_cast<std::uint8_t>(state_ >> 56);
  if (type == ElementType::f32) {
    store(row, x, static_cast<float>(byte) / 256);
  } else {
    store(row, x, byte);
  }
}

}  // namespace warpwise::explain_cases
