#pragma once

#include <cstdint>

#include "warpwise/base/enum_names.hpp"

#include "warpwise/base/export.hpp"

namespace warpwise {

/// Memory layout of a frame's pixels. The order in a name is the order of the bytes.
enum class PixelFormat : std::uint8_t {
  gray8,    ///< one byte of luma
  rgb24,    ///< R G B
  bgr24,    ///< B G R
  rgba32,   ///< R G B A
  bgra32,   ///< B G R A
  yuyv,     ///< 4:2:2 packed, Y0 Cb Y1 Cr for two pixels
  uyvy,     ///< 4:2:2 packed, Cb Y0 Cr Y1 for two pixels
  nv12,     ///< 4:2:0, plane of Y, plane of Cb Cr pairs
  nv21,     ///< 4:2:0, plane of Y, plane of Cr Cb pairs
  i420,     ///< 4:2:0, planes of Y, Cb, Cr
  ycbcr32,  ///< Y Cb Cr 255
  ycrcb24,  ///< Y Cr Cb
  i444,     ///< 4:4:4, planes of Y, Cb, Cr
};

/// Names for name_of() and value_named(): "rgb24", "nv12", …
constexpr auto enum_names(PixelFormat) {
  return std::to_array<EnumName<PixelFormat>>({{PixelFormat::gray8, "gray8"},
                                               {PixelFormat::rgb24, "rgb24"},
                                               {PixelFormat::bgr24, "bgr24"},
                                               {PixelFormat::rgba32, "rgba32"},
                                               {PixelFormat::bgra32, "bgra32"},
                                               {PixelFormat::yuyv, "yuyv"},
                                               {PixelFormat::uyvy, "uyvy"},
                                               {PixelFormat::nv12, "nv12"},
                                               {PixelFormat::nv21, "nv21"},
                                               {PixelFormat::i420, "i420"},
                                               {PixelFormat::ycbcr32, "ycbcr32"},
                                               {PixelFormat::ycrcb24, "ycrcb24"},
                                               {PixelFormat::i444, "i444"}});
}
inline constexpr auto all_pixel_formats = all_values<PixelFormat>();

/// Returns the number of planes, 1 to 3.
WARPWISE_EXPORT int plane_count(PixelFormat format);

/// Returns the bytes of one row of a plane of a frame that is `width` pixels wide. Two pixels share
/// chroma in 4:2:2 and 4:2:0. If the width is odd, the last chroma sample serves one pixel.
/// \throws InvalidArgument  a size beyond 64 bits.
WARPWISE_EXPORT std::int64_t plane_row_bytes(PixelFormat format, int plane, std::int64_t width);

/// Returns the rows of a plane of a frame that is `height` pixels high; chroma rows of 4:2:0 round
/// up.
WARPWISE_EXPORT std::int64_t plane_rows(PixelFormat format, int plane, std::int64_t height);

/// Returns the bytes of a whole frame whose rows and planes follow one another without gaps.
/// \throws InvalidArgument  a negative size, or one beyond 64 bits.
WARPWISE_EXPORT std::int64_t frame_bytes(PixelFormat format, std::int64_t width,
                                         std::int64_t height);

}  // namespace warpwise
