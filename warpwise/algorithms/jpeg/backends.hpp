#pragma once

#include "warpwise/algorithms/jpeg/arguments.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::detail::jpeg {

/// Enqueues all kernels of a file. \throws CudaError
void decode_cuda(kernels::jpeg::Arguments args, gpu::StreamHandle stream);

}  // namespace warpwise::detail::jpeg
