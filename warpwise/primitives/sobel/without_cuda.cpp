#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/sobel/backends.hpp"

// Replaces cuda.cu if the library is built without a CUDA toolkit.
namespace warpwise::detail::sobel {

void sobel_cuda(ConstDeviceView, DeviceView, const SobelOptions&, gpu::StreamHandle) {
  gpu::require_device();
}

void sobel_cuda(std::span<const ConstDeviceView>, std::span<const DeviceView>, const SobelOptions&,
                gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail::sobel
