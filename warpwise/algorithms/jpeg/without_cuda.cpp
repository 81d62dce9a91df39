#include "warpwise/algorithms/jpeg/backends.hpp"
#include "warpwise/gpu/device.hpp"

// Replaces cuda.cu if the library is built without a CUDA toolkit.
namespace warpwise::detail::jpeg {

void decode_cuda(kernels::jpeg::Arguments, gpu::StreamHandle) { gpu::require_device(); }

}  // namespace warpwise::detail::jpeg
