#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "warpwise/base/channel_order.hpp"
#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"
#include "warpwise/base/pixel_format.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/primitives/shared/pixel.hpp"

namespace warpwise {

/// Result of sobel(): the length of the gradient or one of its components.
enum class SobelOutput : std::uint8_t { magnitude, dx, dy };

/// Formula of the magnitude: |dx| + |dy| or sqrt(dx² + dy²).
enum class Norm : std::uint8_t { l1, l2 };

/// The smoothing across the derivative's direction: [1 2 1] or [3 10 3].
enum class SobelKernel : std::uint8_t { sobel, scharr };

/// Options of sobel(): the derivative, the kernel and the border.
struct SobelOptions {
  SobelOutput output = SobelOutput::magnitude;
  Norm norm = Norm::l1;  ///< for the magnitude only
  SobelKernel kernel = SobelKernel::sobel;
  Border border = Border::reflect101;
  /// Order of the colours in a src of 3 or 4 channels without an order().
  ChannelOrder channels = ChannelOrder::rgb;
};

/// Computes the image gradient. With the 3x3 neighbours p(x + i, y + j) of a pixel and the weights
/// w = [1 2 1] (Sobel) or [3 10 3] (Scharr),
///
///     dx = Σj w(j) · (p(x+1, y+j) − p(x−1, y+j))      dy = Σi w(i) · (p(x+i, y+1) − p(x+i, y−1))
///
/// `src` has one channel of u8, u16 or f32, or 3 or 4 channels of u8. Colours become OpenCV's grey,
/// (9798 R + 19235 G + 3735 B + 16384) >> 15. Their order is the view's order(), or else the order
/// in the options; a fourth channel is ignored. `dst` has one channel and the size of `src`; its
/// element type is one of sobel_dst_types(). Any pitch and alignment will do; `src` and `dst` must
/// not overlap. The border reflect101 repeats the pixel of an axis of one pixel.
///
/// Integers: components and L1 magnitudes are exact, L2 magnitudes are rounded half up, and a
/// magnitude of the type of `src` saturates at that type's largest value. f32: each operation
/// rounds once, in this order:
///
///     e(y) = p(x+1, y) − p(x−1, y)        t(y) = w1 · p(x, y) + w0 · (p(x−1, y) + p(x+1, y))
///     dx = w1 · e(y) + w0 · (e(y−1) + e(y+1))      dy = t(y+1) − t(y−1)
///     |dx| + |dy|  or  sqrt(dx · dx + dy · dy)
///
/// All backends agree bit for bit, except for the bits of a NaN.
///
/// The defaults give the result of OpenCV's Sobel in CV_16S, convertScaleAbs and a saturated add.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena, and returns when done. Each
/// task takes scratch memory for at most six rows. Source: document A of docs/sources.md, rows A7
/// and A8.
///
/// \throws InvalidArgument  sizes differ, an option, an element type or a number of channels is
///                          none of the above, or the views overlap.
WARPWISE_EXPORT void sobel(ConstHostView src, HostView dst, const SobelOptions& options = {});

/// Computes the gradient on a GPU, asynchronously on `stream`. Neither allocates nor synchronises.
///
/// \throws InvalidArgument  as sobel() on the CPU.
/// \throws NoCudaDevice  \throws CudaError  a failed launch.
WARPWISE_EXPORT void sobel(ConstDeviceView src, DeviceView dst, const SobelOptions& options,
                           gpu::StreamHandle stream);

/// Computes many images, src[i] to dst[i], with the results of single calls. Sizes may be equal or
/// mixed; all `src` have one type, number and order of channels, all `dst` one type. No `dst` may
/// overlap another view. With empty spans nothing is done and the options are not checked.
///
/// On the CPU, images and their rows are spread over threads.
///
/// \throws InvalidArgument  sobel() refuses an image, whose index the message names; a `dst`
///                          overlaps another view; or the spans differ in length. Nothing is
///                          computed.
WARPWISE_EXPORT void sobel(std::span<const ConstHostView> src, std::span<const HostView> dst,
                           const SobelOptions& options = {});

/// Computes many images on a GPU, up to 64 in each launch, asynchronously on `stream`. Takes no
/// memory of the GPU and does not synchronise. The spans are not read after the call.
///
/// \throws InvalidArgument  as the call for many images on the CPU.
/// \throws NoCudaDevice  \throws CudaError  a failed launch.
WARPWISE_EXPORT void sobel(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                           const SobelOptions& options, gpu::StreamHandle stream);

/// Returns the element types of `dst` that sobel() accepts, the usual one first; empty if it does
/// not accept `src`. u8: magnitude u8 (saturated) or u16, components i16; u16:
/// magnitude u32 or u16 (saturated), components i32; f32: f32.
WARPWISE_EXPORT std::span<const ElementType> sobel_dst_types(ElementType src, SobelOutput output);

/// Names for name_of() and value_named(): "magnitude", "l1", "scharr", "reflect101", …
constexpr auto enum_names(SobelOutput) {
  return std::to_array<EnumName<SobelOutput>>(
      {{SobelOutput::magnitude, "magnitude"}, {SobelOutput::dx, "dx"}, {SobelOutput::dy, "dy"}});
}
inline constexpr auto all_sobel_outputs = all_values<SobelOutput>();
constexpr auto enum_names(Norm) {
  return std::to_array<EnumName<Norm>>({{Norm::l1, "l1"}, {Norm::l2, "l2"}});
}
inline constexpr auto all_norms = all_values<Norm>();
constexpr auto enum_names(SobelKernel) {
  return std::to_array<EnumName<SobelKernel>>(
      {{SobelKernel::sobel, "sobel"}, {SobelKernel::scharr, "scharr"}});
}
inline constexpr auto all_sobel_kernels = all_values<SobelKernel>();
constexpr auto enum_names(Border) {
  return std::to_array<EnumName<Border>>({{Border::reflect101, "reflect101"},
                                          {Border::replicate, "replicate"},
                                          {Border::constant, "constant"}});
}
inline constexpr auto all_borders = all_values<Border>();

namespace reference {
/// Computes sobel() pixel by pixel from the formulas; the fast paths are tested against it.
/// Arguments are not checked: those that sobel() refuses are undefined behaviour here.
WARPWISE_EXPORT void sobel(ConstHostView src, HostView dst, const SobelOptions& options = {});
}  // namespace reference

}  // namespace warpwise
