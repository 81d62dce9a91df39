#pragma once

#include <span>

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise {

/// Copies every pixel of `src` to `dst`: dst(x, y) = src(x, y). Padding between rows is left alone.
///
/// Views of any element type, any number of channels (an element of n bytes is a u8 pixel of n
/// channels), any pitch and any alignment; a one-dimensional array is a view of one row.
/// `src` and `dst` must not overlap.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done.
/// Source: document B, rows B1 to B3 (vectorised memory access).
///
/// \throws InvalidArgument  sizes, element types or channels differ, or the views overlap.
WARPWISE_EXPORT void copy(ConstHostView src, HostView dst);

/// The same on a GPU: asynchronous on `stream`, no allocation, no synchronisation.
///
/// \throws InvalidArgument  as above.  \throws NoCudaDevice  \throws CudaError  a failed launch.
WARPWISE_EXPORT void copy(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);

/// Many images, src[i] to dst[i], each as by a call of its own: of equal or mixed sizes and types.
/// No `dst` may overlap another view. Of none nothing is done.
///
/// On the CPU, images and their rows are spread over threads.
///
/// \throws InvalidArgument  as above, with the number of the image, or the spans differ in length:
///                          nothing was copied then.
WARPWISE_EXPORT void copy(std::span<const ConstHostView> src, std::span<const HostView> dst);

/// The same on a GPU: one launch for every 64 images, whatever their sizes, asynchronous on
/// `stream`, no memory of the GPU, no synchronisation. The spans are not looked at after the call.
///
/// \throws InvalidArgument  as above.  \throws NoCudaDevice  \throws CudaError  a failed launch.
WARPWISE_EXPORT void copy(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                          gpu::StreamHandle stream);

namespace reference {
/// copy(), byte by byte: what the fast paths are tested against.
WARPWISE_EXPORT void copy(ConstHostView src, HostView dst);
}  // namespace reference

}  // namespace warpwise
