#pragma once

// Works with memory and streams that other libraries made.

#include "warpwise/base/export.hpp"
#include "warpwise/gpu/handles.hpp"

struct CUctx_st;

namespace warpwise::gpu {

using ContextHandle = CUctx_st*;  ///< CUcontext

/// Makes later work on `later` wait for the present work on `earlier`; the caller does not wait.
/// Both are streams of the current device. While a graph is recorded, this adds a dependency
/// between the two.
/// \throws NoCudaDevice, CudaError
WARPWISE_EXPORT void order(StreamHandle earlier, StreamHandle later);

/// Returns the device whose memory a pointer is in.
/// \throws NoCudaDevice, CudaError
/// \throws InvalidArgument  the pointer is in no device's memory.
WARPWISE_EXPORT int device_of(const void* pointer);

/// Returns the current device's primary context, in which Warpwise works, for a library that calls
/// the driver itself. \throws NoCudaDevice, CudaError
WARPWISE_EXPORT ContextHandle current_context();

}  // namespace warpwise::gpu
