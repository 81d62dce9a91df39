#pragma once

#include <span>

#include "warpwise/base/export.hpp"
#include "warpwise/base/frame.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/primitives/convert/convert.hpp"

// Colours of 16 bits. A picture is a list of views of u16 pixels:
//
// - one view: grey (1 channel), RGB (3) or RGBA (4), red first unless the view's order() is bgr
// - three views of 1 channel: the planes Y, Cb and Cr of a YUV frame
// - two views: the plane Y, and a plane of 2 channels, Cb and Cr
//
// Chroma has the columns and rows of the picture (4:4:4), half of the columns (4:2:2), or half of
// both (4:2:0). Halves of odd sizes are rounded up.
//
// Samples use all 16 bits. P010, whose samples have 10 bits and then zeros, can be passed to
// convert_deep() with from_bits 10.
namespace warpwise {

/// Options of convert_deep(): the meaning of the codes.
struct DeepOptions {
  Matrix matrix = Matrix::bt601;
  Range from_range = Range::full;  ///< range of a YUV or grey source; RGB has full range
  Range to_range = Range::full;    ///< range of a YUV result; RGB has full range
  /// Number of bits of a YUV or grey sample, 8 to 16. They are the highest of its u16; the rest are
  /// 0. The largest code of full range has all these bits set. The codes of limited range do not
  /// depend on from_bits.
  int from_bits = 16;
};

/// Converts YUV, grey or RGBA to RGB, and RGB, RGBA, grey or YUV to the three planes of YUV. The
/// result is the real-valued formula of convert(), rounded half up once and saturated. Green that
/// lies less than 2^-33 below a half may be rounded up. From YUV to YUV, the matrix stays; the
/// range and the sharing of chroma may change. Pixels of `src` that share a sample have its chroma;
/// a sample of `dst` is the mean chroma of the pixels that share it. Alpha is ignored.
///
/// Views may have any size, pitch and alignment; `src` and `dst` must not overlap.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done.
///
/// \throws InvalidArgument  the views are no picture (see the head of the file), sizes differ, RGB
///                          has limited range, from_bits is not 8 to 16 (RGB: 16), views overlap.
WARPWISE_EXPORT void convert_deep(std::span<const ConstHostView> src, std::span<const HostView> dst,
                                  const DeepOptions& options = {});

/// Converts on a GPU, with the same result: asynchronous on `stream`, no allocation, no
/// synchronisation.
///
/// \throws InvalidArgument  as on the CPU.  \throws NoCudaDevice  \throws CudaError  failed launch.
WARPWISE_EXPORT void convert_deep(std::span<const ConstDeviceView> src,
                                  std::span<const DeviceView> dst, const DeepOptions& options,
                                  gpu::StreamHandle stream);

/// Rounds the samples of a picture to 8 bits, half up and saturated:
///
/// - limited range of YUV and grey: code / 256
/// - full range of luma and grey, RGB and alpha: code · 255 / 65535
/// - full range of chroma: (code − 32768) · 255 / 65535 + 128
///
/// `dst` has the components of `src`, in the same size: gray8, rgb24, bgr24, rgba32, bgra32, or a
/// YUV format with the chroma of `src`. Unused bytes are as share_chroma() writes them. `range` is
/// the range of YUV and grey. Any size, pitch and alignment are allowed; memory must not overlap.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done.
///
/// \throws InvalidArgument  unsupported views or format, sizes differ, or memory overlaps.
WARPWISE_EXPORT void round_to_8_bits(std::span<const ConstHostView> src, Range range,
                                     HostFrame dst);

/// Rounds on a GPU, with the same result: asynchronous on `stream`, no allocation, no
/// synchronisation.
///
/// \throws InvalidArgument  as on the CPU.  \throws NoCudaDevice  \throws CudaError  failed launch.
WARPWISE_EXPORT void round_to_8_bits(std::span<const ConstDeviceView> src, Range range,
                                     DeviceFrame dst, gpu::StreamHandle stream);

}  // namespace warpwise
