#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/copy/backends.hpp"

// Replaces cuda.cu where the library is built without a CUDA toolkit.
namespace warpwise::detail::copy {

void copy_cuda(ConstDeviceView, DeviceView, gpu::StreamHandle) { gpu::require_device(); }

void copy_cuda(std::span<const ConstDeviceView>, std::span<const DeviceView>, gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail::copy
