#include "warpwise/io/interleave.hpp"

#include <algorithm>

namespace warpwise::io {

void interleave_422(const std::array<SamplePlane, 3>& planes, std::int64_t width,
                    std::int64_t height, std::span<std::byte> frame) {
  std::byte* to = frame.data();
  for (std::int64_t y = 0; y < height; ++y) {
    const std::byte* luma = planes[0].data + y * planes[0].pitch_bytes;
    const std::byte* cb = planes[1].data + y * planes[1].pitch_bytes;
    const std::byte* cr = planes[2].data + y * planes[2].pitch_bytes;
    for (std::int64_t x = 0; x < width; x += 2, to += 4) {
      to[0] = luma[x];
      to[1] = cb[x / 2];
      to[2] = luma[std::min(x + 1, width - 1)];
      to[3] = cr[x / 2];
    }
  }
}

void interleave_444(const std::array<SamplePlane, 3>& planes, std::int64_t width,
                    std::int64_t height, std::span<std::byte> frame) {
  std::byte* to = frame.data();
  for (std::int64_t y = 0; y < height; ++y) {
    const std::byte* luma = planes[0].data + y * planes[0].pitch_bytes;
    const std::byte* cb = planes[1].data + y * planes[1].pitch_bytes;
    const std::byte* cr = planes[2].data + y * planes[2].pitch_bytes;
    for (std::int64_t x = 0; x < width; ++x, to += 4) {
      to[0] = luma[x];
      to[1] = cb[x];
      to[2] = cr[x];
      to[3] = std::byte{255};
    }
  }
}

}  // namespace warpwise::io
