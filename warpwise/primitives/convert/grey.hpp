#pragma once

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise {

/// Computes the grey of colours that have more than 8 bits. `src` has 3 or 4 channels. Their order
/// is the view's order(), or red first without one; the fourth is ignored. `dst` has one channel of
/// the same type:
///
/// - u16: (9798 R + 19235 G + 3735 B + 2^14) >> 15, as cv::cvtColor(COLOR_RGB2GRAY)
/// - f32: (0.299 R + 0.587 G) + 0.114 B, each operation rounded to f32
///
/// convert() computes the grey of 8-bit formats. Views may have any size, pitch and alignment; they
/// must not overlap.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done.
///
/// \throws InvalidArgument  another type or number of channels, the sizes differ, or the views
///                          overlap.
WARPWISE_EXPORT void grey(ConstHostView src, HostView dst);

/// Computes grey on a GPU, with the same result: asynchronous on `stream`, no allocation, no
/// synchronisation.
///
/// \throws InvalidArgument  as on the CPU.  \throws NoCudaDevice  \throws CudaError  failed launch.
WARPWISE_EXPORT void grey(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);

}  // namespace warpwise
