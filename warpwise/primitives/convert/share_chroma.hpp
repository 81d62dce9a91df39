#pragma once

#include "warpwise/base/export.hpp"
#include "warpwise/base/frame.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise {

/// Converts an i444 frame to another YUV format: i420, nv12, nv21, yuyv, uyvy, ycbcr32, ycrcb24 or
/// i444. Luma is unchanged. A chroma sample is the mean of the pixels that share it, rounded half
/// up, and is therefore sited at their centre. At odd sizes the last sample covers only existing
/// pixels. Unused bytes get a fixed value, so that equal frames have equal bytes: 255 in ycbcr32,
/// and at an odd width the last luma again in yuyv and uyvy.
///
/// Frames may have any size, pitch and alignment but must not overlap. Runs on the calling thread.
///
/// \throws InvalidArgument  another format, the sizes differ, or the frames overlap.
WARPWISE_EXPORT void share_chroma(ConstHostFrame i444, HostFrame dst);

/// Converts on a GPU, with the same result: asynchronous on `stream`, no allocation, no
/// synchronisation.
///
/// \throws InvalidArgument  as on the CPU.  \throws NoCudaDevice  \throws CudaError  failed launch.
WARPWISE_EXPORT void share_chroma(ConstDeviceFrame i444, DeviceFrame dst, gpu::StreamHandle stream);

}  // namespace warpwise
