#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpwise {

/// How the pixels of a frame lie in memory; the order in a name is the order of the bytes.
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

inline constexpr std::array all_pixel_formats = {
    PixelFormat::gray8,  PixelFormat::rgb24, PixelFormat::bgr24,   PixelFormat::rgba32,
    PixelFormat::bgra32, PixelFormat::yuyv,  PixelFormat::uyvy,    PixelFormat::nv12,
    PixelFormat::nv21,   PixelFormat::i420,  PixelFormat::ycbcr32, PixelFormat::ycrcb24,
    PixelFormat::i444};

/// "rgb24", "nv12", …
std::string_view name_of(PixelFormat format);

/// The format of that name, or nothing.
std::optional<PixelFormat> pixel_format_named(std::string_view name);

/// 1 to 3.
int plane_count(PixelFormat format);

/// Bytes of one row of a plane of a frame that is `width` pixels wide. Two pixels share chroma
/// in 4:2:2 and 4:2:0; of an odd width the last chroma sample serves one pixel.
/// \throws InvalidArgument  a size beyond 64 bits.
std::int64_t plane_row_bytes(PixelFormat format, int plane, std::int64_t width);

/// Rows of a plane of a frame that is `height` pixels high; chroma rows of 4:2:0 round up.
std::int64_t plane_rows(PixelFormat format, int plane, std::int64_t height);

/// Bytes of a whole frame whose rows and planes follow one another without gaps.
/// \throws InvalidArgument  a size beyond 64 bits.
std::int64_t frame_bytes(PixelFormat format, std::int64_t width, std::int64_t height);

}  // namespace warpwise
