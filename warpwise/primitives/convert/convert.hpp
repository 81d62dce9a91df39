#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"
#include "warpwise/base/frame.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise {

/// The weights of red, green and blue in luma.
enum class Matrix : std::uint8_t { bt601, bt709, bt2020 };

/// Codes that YUV samples use: full 0…255, limited 16…235 for luma and 16…240 for chroma.
enum class Range : std::uint8_t { full, limited };

/// The library whose arithmetic turns RGB into YUV and back. The libraries' results differ by about
/// a level.
enum class Convention : std::uint8_t {
  exact,   ///< the real-valued formula, rounded half up once
  opencv,  ///< bit for bit as cv::cvtColor
  libyuv,  ///< bit for bit as libyuv on x86
  jfif,    ///< libjpeg's 16-bit formulas
};

/// Upsampling of subsampled chroma.
enum class ChromaUpsampling : std::uint8_t {
  replicate,  ///< the sample that the pixel shares with its neighbours
  /// Linear interpolation. Samples are sited as in MPEG-2 and H.264: on even columns, and in 4:2:0
  /// midway between two rows. An odd column takes the mean of its two neighbours. In 4:2:0, a row
  /// takes 3/4 of the nearer sample and 1/4 of the farther one. Rounds half up once.
  linear,
};

/// The formats that convert() reads and writes.
inline constexpr std::array convert_sources = {
    PixelFormat::rgb24, PixelFormat::bgr24, PixelFormat::rgba32, PixelFormat::bgra32,
    PixelFormat::gray8, PixelFormat::yuyv,  PixelFormat::uyvy,   PixelFormat::nv12,
    PixelFormat::nv21,  PixelFormat::i420,  PixelFormat::ycbcr32};
inline constexpr std::array convert_destinations = {
    PixelFormat::ycbcr32, PixelFormat::ycrcb24, PixelFormat::gray8,  PixelFormat::rgb24,
    PixelFormat::bgr24,   PixelFormat::rgba32,  PixelFormat::bgra32, PixelFormat::i444};

/// Names for name_of() and value_named(): "bt601", "full", "exact", "replicate", …
constexpr auto enum_names(Matrix) {
  return std::to_array<EnumName<Matrix>>(
      {{Matrix::bt601, "bt601"}, {Matrix::bt709, "bt709"}, {Matrix::bt2020, "bt2020"}});
}
inline constexpr auto all_matrices = all_values<Matrix>();
constexpr auto enum_names(Range) {
  return std::to_array<EnumName<Range>>({{Range::full, "full"}, {Range::limited, "limited"}});
}
inline constexpr auto all_ranges = all_values<Range>();
constexpr auto enum_names(Convention) {
  return std::to_array<EnumName<Convention>>({{Convention::exact, "exact"},
                                              {Convention::opencv, "opencv"},
                                              {Convention::libyuv, "libyuv"},
                                              {Convention::jfif, "jfif"}});
}
inline constexpr auto all_conventions = all_values<Convention>();
constexpr auto enum_names(ChromaUpsampling) {
  return std::to_array<EnumName<ChromaUpsampling>>(
      {{ChromaUpsampling::replicate, "replicate"}, {ChromaUpsampling::linear, "linear"}});
}
inline constexpr auto all_chroma_upsamplings = all_values<ChromaUpsampling>();

/// Options of convert(): the formulas between RGB and YUV.
struct ConvertOptions {
  Convention convention = Convention::exact;
  Matrix matrix = Matrix::bt601;
  /// Ranges of the YUV (or grey) frames. If unset, the convention decides: full in exact and jfif;
  /// limited in libyuv; in opencv limited for subsampled sources, otherwise full. From YUV to YUV,
  /// all conventions but exact use from_range for both sides.
  std::optional<Range> from_range = std::nullopt;
  std::optional<Range> to_range = std::nullopt;
  ChromaUpsampling upsampling = ChromaUpsampling::replicate;
  /// true: gray8 is the Y of the YUV formats in every convention. In opencv it is then
  /// COLOR_RGB2YCrCb's Y instead of COLOR_RGB2GRAY's grey; some values differ by one.
  bool gray_is_luma = false;
};

/// Converts a frame from one of convert_sources to one of convert_destinations, pixel by pixel:
///
/// - RGB → RGB: channels are reordered; alpha is kept if both formats have it, else it is 255.
/// - RGB → YUV: Y = kr R + kg G + kb B, Cb = (B − Y) / (2 − 2 kb), Cr = (R − Y) / (2 − 2 kr) by the
///   matrix's weights, scaled to to_range, rounded by the convention. gray8 counts as R = G = B.
///   The fourth byte of ycbcr32 is 255.
/// - YUV → RGB: the inverse. YUV → YUV: the bytes unchanged or, in exact, rescaled between ranges.
/// - Any → gray8: the Y of these formulas. From RGB, convention opencv gives COLOR_RGB2GRAY's grey
///   unless gray_is_luma is set.
///
/// | convention | matrices           | RGB → YUV     | YUV → RGB                                |
/// |------------|--------------------|---------------|------------------------------------------|
/// | exact      | bt601 bt709 bt2020 | full, limited | full, limited                            |
/// | opencv     | bt601              | full          | limited if subsampled, full from ycbcr32 |
/// | libyuv     | bt601 bt709        | full, limited | full, limited                            |
/// | jfif       | bt601              | full          | full                                     |
///
/// exact equals a correctly rounded (half up), saturated evaluation of the real-valued formula for
/// all 2^24 colours. Frames may have any size, pitch and alignment; they must not overlap.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done.
/// Source: rows D1 to D5 of docs/sources.md (webcam frames RGB24 → 32-bit YCbCr).
///
/// \throws InvalidArgument  sizes differ, frames overlap, or the combination of formats and options
///                          has no definition; the message then lists the defined ones.
WARPWISE_EXPORT void convert(ConstHostFrame src, HostFrame dst, const ConvertOptions& options = {});

/// Converts a frame on a GPU, with the same result: asynchronous on `stream`, no allocation, no
/// synchronisation.
///
/// \throws InvalidArgument  as on the CPU.  \throws NoCudaDevice  \throws CudaError  failed launch.
WARPWISE_EXPORT void convert(ConstDeviceFrame src, DeviceFrame dst, const ConvertOptions& options,
                             gpu::StreamHandle stream);

/// Converts many frames, src[i] to dst[i], with the results of single calls. Sizes may be equal or
/// mixed; all `src` have one format, and all `dst` have one. No `dst` may overlap another frame.
/// With empty spans nothing is done and the options are not checked.
///
/// On the CPU, frames and their rows are spread over threads.
///
/// \throws InvalidArgument  a single call would refuse a frame (the message has its number), or the
///                          spans differ in length. Nothing was converted then.
WARPWISE_EXPORT void convert(std::span<const ConstHostFrame> src, std::span<const HostFrame> dst,
                             const ConvertOptions& options = {});

/// Converts many frames of any sizes on a GPU. One kernel launch converts up to 64 frames. If the
/// formats have several planes, it is fewer frames, but at least 40. Asynchronous on `stream`, no
/// allocation on the GPU, no synchronisation. The spans are not read after the call.
///
/// \throws InvalidArgument  as on the CPU.  \throws NoCudaDevice  \throws CudaError  failed launch.
WARPWISE_EXPORT void convert(std::span<const ConstDeviceFrame> src,
                             std::span<const DeviceFrame> dst, const ConvertOptions& options,
                             gpu::StreamHandle stream);

namespace reference {
/// Computes convert() pixel by pixel, in double precision or the convention's own integers. The
/// fast paths are tested against it.
/// Arguments are not checked: those that convert() refuses are undefined behaviour here.
WARPWISE_EXPORT void convert(ConstHostFrame src, HostFrame dst, const ConvertOptions& options = {});
}  // namespace reference

}  // namespace warpwise
