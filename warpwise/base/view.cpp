#include "warpwise/base/view.hpp"

#include <limits>
#include <string>

namespace warpwise::detail {

std::int64_t validate_view(const void* data, ElementType type, std::int64_t width,
                           std::int64_t height, int channels, std::int64_t pitch_bytes) {
  // A shorter check for sizes up to 2^20, whose products always fit 64 bits. The full check below
  // would slow the smallest matrix-vector products noticeably, as they take only 20 ns.
  const auto is_usual = [](std::int64_t size) { return std::uint64_t(size - 1) < 1 << 20; };
  if (data != nullptr && is_usual(width) && is_usual(height) && is_usual(channels)) {
    const std::int64_t row = width * channels * size_of(type);
    if (pitch_bytes == 0 || (pitch_bytes >= row && pitch_bytes < std::int64_t{1} << 42)) return row;
  }
  if (width < 1 || height < 1 || channels < 1) {
    throw InvalidArgument("a view needs at least 1x1 pixels of 1 channel, not " +
                          std::to_string(width) + "x" + std::to_string(height) + " of " +
                          std::to_string(channels));
  }
  if (data == nullptr) throw InvalidArgument("a view needs memory, not a null pointer");
  const std::int64_t pixel = checked_mul(channels, size_of(type));
  if (pixel > std::numeric_limits<int>::max())
    throw InvalidArgument("a pixel of " + std::to_string(pixel) + " bytes is too large");
  const std::int64_t row = checked_mul(width, pixel);
  if (pitch_bytes < 0 || (pitch_bytes != 0 && height > 1 && pitch_bytes < row)) {
    throw InvalidArgument("a pitch of " + std::to_string(pitch_bytes) +
                          " bytes does not hold a row of " + std::to_string(row) + " bytes");
  }
  checked_mul(height, pitch_bytes == 0 ? row : pitch_bytes);
  return row;
}

}  // namespace warpwise::detail
