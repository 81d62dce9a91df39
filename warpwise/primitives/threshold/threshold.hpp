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

/// The value that threshold() compares a pixel with.
enum class ThresholdMethod : std::uint8_t {
  mean,        ///< the window's mean, rounded to an integer: OpenCV's ADAPTIVE_THRESH_MEAN_C
  gaussian,    ///< the window's Gaussian mean, rounded: OpenCV's ADAPTIVE_THRESH_GAUSSIAN_C
  exact_mean,  ///< the window's mean without rounding (row C1 of docs/sources.md)
};

/// Names for name_of() and value_named(): "mean", "gaussian", "exact-mean".
constexpr auto enum_names(ThresholdMethod) {
  return std::to_array<EnumName<ThresholdMethod>>({{ThresholdMethod::mean, "mean"},
                                                   {ThresholdMethod::gaussian, "gaussian"},
                                                   {ThresholdMethod::exact_mean, "exact-mean"}});
}
inline constexpr auto all_threshold_methods = all_values<ThresholdMethod>();

/// The window of threshold() and the rule by which it compares.
struct ThresholdOptions {
  std::int64_t window = 3;  ///< side of the square window, odd, 1 to max_threshold_window()
  double offset = 0;        ///< finite; subtracted from the mean before the comparison
  ThresholdMethod method = ThresholdMethod::mean;
  std::uint32_t maximum =
      255;                ///< value that a pixel above its mean gets; it must fit the pixel type
  bool inverted = false;  ///< exchanges `maximum` and 0
};

/// Returns the largest window for pixels of a type: 2^24 - 1 for u8, 2^23 - 1 for u16. The sum of
/// such a window still fits 64 bits. A window may be larger than the image.
constexpr std::int64_t max_threshold_window(ElementType type) {
  return (std::int64_t{1} << (type == ElementType::u8 ? 24 : 23)) - 1;
}

/// Adaptive threshold. dst(x, y) is `maximum` where src(x, y) is above the mean of the window
/// around it, minus the offset. Elsewhere it is 0.
///
///     mean, gaussian  normal    src - round(mean) > -ceil(offset)    ? maximum : 0
///                     inverted  src - round(mean) <= -floor(offset)  ? maximum : 0
///     exact_mean      normal    mean - offset < src                  ? maximum : 0
///                     inverted  mean - offset >= src                 ? maximum : 0
///
/// `mean` and `exact_mean` give all window^2 pixels the same weight, sum them in integers and
/// compare without rounding error. Their time depends little on the window. OpenCV's mean is the
/// same in windows up to 175. In larger ones, Debian's OpenCV 4.6 rounds a few means wrongly.
///
/// `gaussian` has sigma = 0.3 ((window - 1) / 2 - 1) + 0.8; windows to 9 take OpenCV's fixed
/// weights. It is evaluated in float, first along rows and then down columns. Each sum goes from
/// the centre outwards, without fused operations. The mean is rounded half to even. The time grows
/// with the window. Results are bit-identical on every backend.
///
/// `src` and `dst` have one channel, are both u8 or both u16, and have the same size. They may have
/// any pitch and alignment. Outside the image the edge pixel is repeated. If `mean` is given, it
/// receives the window's mean: rounded if it has the type of `src`, unrounded if it is f32. No two
/// views may overlap.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done. Each
/// thread allocates scratch memory: some rows of sums, or a buffer of f32 for `gaussian`. This
/// buffer covers some of the image's columns. It has a row for each row of the window, or of the
/// image if the image is lower than the window. Source: row C1 of docs/sources.md.
///
/// \throws InvalidArgument  the window is even, below 1 or above max_threshold_window(), the offset
///                          is not finite, the maximum exceeds the type, a view has another type,
///                          size or number of channels, views overlap, or there is no such method.
WARPWISE_EXPORT void threshold(ConstHostView src, HostView dst, const ThresholdOptions& options,
                               std::optional<HostView> mean = {});

/// Runs on a GPU: asynchronous on `stream`, no synchronisation. `mean` and `exact_mean` need no
/// scratch memory
/// - for windows that are up to 160 bytes wide;
/// - for windows to 255 (u8) or 127 (u16) pixels, if the image is too small to fill the GPU or if
///   `mean` is given.
///
/// `gaussian` needs no scratch memory for u8 and windows to 113 without `mean`.
/// Other calls take scratch memory from the stream-ordered pool (gpu::Buffer):
/// - without `mean`, if a thread block may have the 70 to 227 KB of shared memory that the window
///   needs: about 1/8 of the image's bytes, or 1/32 of a large image's. To estimate these bytes,
///   add the window's width and up to 4 KB to the length of each row;
/// - in all other cases: 4 to 9 bytes for each pixel.
///
/// \throws InvalidArgument  for the same reasons as the call for the CPU.  \throws NoCudaDevice
/// \throws CudaError  a failed launch, or too little memory.
WARPWISE_EXPORT void threshold(ConstDeviceView src, DeviceView dst, const ThresholdOptions& options,
                               std::optional<DeviceView> mean, gpu::StreamHandle stream);
WARPWISE_EXPORT void threshold(ConstDeviceView src, DeviceView dst, const ThresholdOptions& options,
                               gpu::StreamHandle stream);

/// Processes many images, src[i] to dst[i], with the results of single calls without `mean`. Sizes
/// may differ, but all images have one type. No `dst` may overlap another view. With no images,
/// nothing is done and the options are not checked.
///
/// On the CPU, the work is spread over threads by images and rows.
///
/// \throws InvalidArgument  a single call would refuse an image (the message has its number), or
///                          the spans differ in length. Nothing is computed then.
WARPWISE_EXPORT void threshold(std::span<const ConstHostView> src, std::span<const HostView> dst,
                               const ThresholdOptions& options);

/// Runs on a GPU: asynchronous on `stream`, no synchronisation. `mean` and `exact_mean` take one
/// launch for up to 64 images of any sizes, and no scratch memory, for windows
/// - up to 63 (u8) or 33 (u16);
/// - up to 65 (u8) if a thread block may have more than 64 KB of shared memory.
///
/// Other calls launch one or more kernels for each image, like single calls. The spans are not read
/// after the call.
///
/// \throws InvalidArgument  for the same reasons as for the CPU.  \throws NoCudaDevice, CudaError
WARPWISE_EXPORT void threshold(std::span<const ConstDeviceView> src,
                               std::span<const DeviceView> dst, const ThresholdOptions& options,
                               gpu::StreamHandle stream);

namespace reference {
/// Computes threshold() window by window: the reference for the tests of the fast paths.
/// Arguments are not checked: those that threshold() refuses are undefined behaviour here.
WARPWISE_EXPORT void threshold(ConstHostView src, HostView dst, const ThresholdOptions& options,
                               std::optional<HostView> mean = {});
}  // namespace reference

}  // namespace warpwise
