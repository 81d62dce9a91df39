#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise {

/// What threshold() compares a pixel with.
enum class ThresholdMethod : std::uint8_t {
  mean,        ///< the window's mean, rounded to an integer: OpenCV's ADAPTIVE_THRESH_MEAN_C
  gaussian,    ///< the window's Gaussian mean, rounded: OpenCV's ADAPTIVE_THRESH_GAUSSIAN_C
  exact_mean,  ///< the window's mean as a real number: document C, row C1
};

/// For name_of() and value_named(): "mean", "gaussian", "exact-mean".
constexpr auto enum_names(ThresholdMethod) {
  return std::to_array<EnumName<ThresholdMethod>>({{ThresholdMethod::mean, "mean"},
                                                   {ThresholdMethod::gaussian, "gaussian"},
                                                   {ThresholdMethod::exact_mean, "exact-mean"}});
}
inline constexpr auto all_threshold_methods = all_values<ThresholdMethod>();

/// The window and the rule of threshold().
struct ThresholdOptions {
  std::int64_t window = 3;  ///< side of the square window, odd, 1 to max_threshold_window()
  double offset = 0;        ///< finite; a larger one turns more pixels to `maximum`
  ThresholdMethod method = ThresholdMethod::mean;
  std::uint32_t maximum = 255;  ///< what a pixel above its mean becomes; it must fit the type
  bool inverted = false;        ///< exchanges `maximum` and 0
};

/// The largest window for pixels of a type, up to which 64 bits hold every sum: 2^24 - 1 for u8,
/// 2^23 - 1 for u16. A window may exceed the image.
constexpr std::int64_t max_threshold_window(ElementType type) {
  return (std::int64_t{1} << (type == ElementType::u8 ? 24 : 23)) - 1;
}

/// Adaptive threshold: dst(x, y) = maximum where src(x, y) is above the mean of the window around
/// it less the offset, else 0.
///
///     mean, gaussian  normal    src - round(mean) > -ceil(offset)    ? maximum : 0
///                     inverted  src - round(mean) <= -floor(offset)  ? maximum : 0
///     exact_mean      normal    mean - offset < src                  ? maximum : 0
///                     inverted  mean - offset >= src                 ? maximum : 0
///
/// `mean` and `exact_mean` weigh window^2 pixels alike, sum them in integers and compare without
/// rounding error; their time depends little on the window. (OpenCV's mean is the same but for its
/// rounding of single pixels in large windows, from 177 on in Debian's 4.6.) `gaussian` has sigma =
/// 0.3 ((window - 1) / 2 - 1) + 0.8, for windows to 9 OpenCV's fixed weights; it is evaluated in
/// float, rows first, each from the centre outwards without fused operations, and rounded half to
/// even; its time grows with the window. Results are bit-identical on every backend.
///
/// `src` and `dst` have one channel of u8 or both of u16 and one size, any pitch and alignment;
/// outside the image the edge pixel stands (replicate). If `mean` is given it receives the window's
/// mean: of the type of `src` the rounded one, f32 the unrounded one. No two views may overlap.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done. Allocates
/// some rows of sums for each thread, `gaussian` as many f32 rows of part of the width as a window
/// has, at most the image's. Source: document C, row C1.
///
/// \throws InvalidArgument  the window is even, below 1 or above max_threshold_window(), the offset
///                          is not finite, the maximum exceeds the type, a view has another type,
///                          size or number of channels, or views overlap.
WARPWISE_EXPORT void threshold(ConstHostView src, HostView dst, const ThresholdOptions& options,
                               std::optional<HostView> mean = {});

/// The same on a GPU: asynchronous on `stream`, no synchronisation. `mean` and `exact_mean` need no
/// scratch for windows to 192 bytes a row, nor to 255 (u8) or 127 (u16) pixels where the image does
/// not fill the GPU or `mean` is asked for; nor does `gaussian` for `dst` alone of u8 for windows
/// to 113. Else it comes from the stream-ordered pool (gpu::Buffer): for `dst` alone and windows of
/// which a block of the GPU may have the 80 to 227 KB of shared memory an eighth of the image's
/// bytes at most, a thirty-second of large ones, each row counted as a window and a multiple of 1
/// or 2 KB; for the others 4 to 9 bytes a pixel.
///
/// \throws InvalidArgument  as above.  \throws NoCudaDevice  \throws CudaError  a failed launch.
WARPWISE_EXPORT void threshold(ConstDeviceView src, DeviceView dst, const ThresholdOptions& options,
                               std::optional<DeviceView> mean, gpu::StreamHandle stream);
WARPWISE_EXPORT void threshold(ConstDeviceView src, DeviceView dst, const ThresholdOptions& options,
                               gpu::StreamHandle stream);

/// Many images, src[i] to dst[i], each as by a call of its own without means: of equal or mixed
/// sizes, all of one type. No `dst` may overlap another view. Of none nothing is done, and no
/// option looked at.
///
/// On the CPU, images and their rows are spread over threads.
///
/// \throws InvalidArgument  as above, with the number of the image, or the spans differ in length:
///                          nothing was computed then.
WARPWISE_EXPORT void threshold(std::span<const ConstHostView> src, std::span<const HostView> dst,
                               const ThresholdOptions& options);

/// The same on a GPU: asynchronous on `stream`, no synchronisation. `mean` and `exact_mean` of
/// windows to 63 (u8) or 33 (u16), and to 65 (u8) where a block may have more than 64 KB of shared
/// memory, are one launch for every 64 images, whatever their sizes, without memory of the GPU; all
/// else is launched image by image, as by single calls. The spans are not looked at after the call.
///
/// \throws InvalidArgument  as above.  \throws NoCudaDevice  \throws CudaError  a failed launch.
WARPWISE_EXPORT void threshold(std::span<const ConstDeviceView> src,
                               std::span<const DeviceView> dst, const ThresholdOptions& options,
                               gpu::StreamHandle stream);

namespace reference {
/// threshold(), window by window: what the fast paths are tested against.
WARPWISE_EXPORT void threshold(ConstHostView src, HostView dst, const ThresholdOptions& options,
                               std::optional<HostView> mean = {});
}  // namespace reference

}  // namespace warpwise
