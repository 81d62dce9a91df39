#pragma once

#include <span>

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise {

/// Copies every pixel of `src` to `dst`: dst(x, y) = src(x, y). Padding between rows is left
/// unchanged.
///
/// Views may have any element type, channels, pitch and alignment. View an element of n bytes as a
/// u8 pixel of n channels, and a one-dimensional array as one row. `src` and `dst` must not
/// overlap. The views' order() does not count: channels keep their places.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done.
/// Source: document B of docs/sources.md, rows B1 to B3 (vectorised memory access).
///
/// \throws InvalidArgument  sizes, element types or channels differ, or the views overlap.
WARPWISE_EXPORT void copy(ConstHostView src, HostView dst);

/// Copies on a GPU, asynchronously on `stream`, without allocation or synchronisation.
///
/// \throws InvalidArgument  as copy() on the CPU.  \throws NoCudaDevice  \throws CudaError  a
/// failed launch.
WARPWISE_EXPORT void copy(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);

/// Copies many images, src[i] to dst[i]. Sizes and types may differ from image to image.
/// No `dst` may overlap another view. With no images, nothing is done.
///
/// On the CPU, the work is spread over threads by images and rows.
///
/// \throws InvalidArgument  copy() refuses an image, whose index the message names; a `dst`
///                          overlaps another view; or the spans differ in length. Nothing is
///                          copied.
WARPWISE_EXPORT void copy(std::span<const ConstHostView> src, std::span<const HostView> dst);

/// Copies many images on a GPU, up to 64 in each launch, asynchronously on `stream`.
/// Takes no memory of the GPU and does not synchronise. The spans are not read after the call.
///
/// \throws InvalidArgument  as the call for many images on the CPU.
/// \throws NoCudaDevice  \throws CudaError  a failed launch.
WARPWISE_EXPORT void copy(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                          gpu::StreamHandle stream);

namespace reference {
/// Copies byte by byte: the reference for the tests of the fast paths.
/// Arguments are not checked: those that copy() refuses are undefined behaviour here.
WARPWISE_EXPORT void copy(ConstHostView src, HostView dst);
}  // namespace reference

}  // namespace warpwise
