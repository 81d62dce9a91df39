#include "warpwise/base/pixel_format.hpp"

#include <string>

#include "warpwise/base/checked.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise {
namespace {

std::int64_t half_up(std::int64_t n) { return n / 2 + n % 2; }

}  // namespace

int plane_count(PixelFormat format) {
  switch (format) {
    case PixelFormat::nv12:
    case PixelFormat::nv21: return 2;
    case PixelFormat::i420:
    case PixelFormat::i444: return 3;
    default: return 1;
  }
}

std::int64_t plane_row_bytes(PixelFormat format, int plane, std::int64_t width) {
  if (width < 0) throw InvalidArgument("a frame of " + std::to_string(width) + " columns");
  switch (format) {
    case PixelFormat::gray8:
    case PixelFormat::i444: return width;
    case PixelFormat::rgb24:
    case PixelFormat::bgr24:
    case PixelFormat::ycrcb24: return checked_mul(3, width);
    case PixelFormat::rgba32:
    case PixelFormat::bgra32:
    case PixelFormat::ycbcr32: return checked_mul(4, width);
    case PixelFormat::yuyv:
    case PixelFormat::uyvy: return checked_mul(4, half_up(width));
    case PixelFormat::nv12:
    case PixelFormat::nv21: return plane == 0 ? width : checked_mul(2, half_up(width));
    case PixelFormat::i420: return plane == 0 ? width : half_up(width);
  }
  throw InvalidArgument("there is no pixel format of number " +
                        std::to_string(static_cast<int>(format)));
}

std::int64_t plane_rows(PixelFormat format, int plane, std::int64_t height) {
  if (height < 0) throw InvalidArgument("a frame of " + std::to_string(height) + " rows");
  const bool vertically_subsampled =
      format == PixelFormat::nv12 || format == PixelFormat::nv21 || format == PixelFormat::i420;
  return plane > 0 && vertically_subsampled ? half_up(height) : height;
}

std::int64_t frame_bytes(PixelFormat format, std::int64_t width, std::int64_t height) {
  std::int64_t bytes = 0;
  for (int plane = 0; plane < plane_count(format); ++plane) {
    bytes = checked_add(bytes, checked_mul(plane_row_bytes(format, plane, width),
                                           plane_rows(format, plane, height)));
  }
  return bytes;
}

}  // namespace warpwise
