// The CUDA backends of a build without a CUDA toolkit: each says that there is no CUDA path.

#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/copy/backends.hpp"
#include "warpwise/primitives/gemv/backends.hpp"

namespace warpwise::detail {

void copy_cuda(ConstDeviceView, DeviceView, gpu::StreamHandle) { gpu::require_device(); }

void gemv_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const GemvOptions&,
               gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail
