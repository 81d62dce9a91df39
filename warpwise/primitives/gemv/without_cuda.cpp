#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/gemv/backends.hpp"

// Replaces cuda.cu where the library is built without a CUDA toolkit.
namespace warpwise::detail::gemv {

void gemv_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const GemvOptions&,
               gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail::gemv
