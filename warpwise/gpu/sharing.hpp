#pragma once

// For memory and streams that other libraries made.

#include "warpwise/base/export.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::gpu {

/// Work that `later` is given from now on waits for what `earlier` has been given so far; the
/// caller waits for neither. Both are streams of the current device. While a graph is recorded, the
/// one becomes a predecessor of the other.
/// \throws NoCudaDevice, CudaError
WARPWISE_EXPORT void order(StreamHandle earlier, StreamHandle later);

/// The device whose memory a pointer is in.
/// \throws NoCudaDevice  \throws InvalidArgument  it is in no device's memory.
WARPWISE_EXPORT int device_of(const void* pointer);

}  // namespace warpwise::gpu
