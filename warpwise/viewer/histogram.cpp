#include "warpwise/viewer/histogram.hpp"

namespace warpwise::viewer {

std::array<std::uint32_t, 256> histogram_of(const io::PictureShape& shape,
                                            std::span<const std::byte> pixels) {
  std::array<std::uint32_t, 256> counts{};
  const auto* at = reinterpret_cast<const std::uint8_t*>(pixels.data());
  const auto* const end = at + pixels.size();
  if (shape.channels == 1) {
    for (; at < end; ++at) ++counts[*at];
    return counts;
  }
  for (; at < end; at += 3) {
    ++counts[(299U * at[0] + 587U * at[1] + 114U * at[2] + 500U) / 1000U];
  }
  return counts;
}

}  // namespace warpwise::viewer
