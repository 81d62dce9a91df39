#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/sobel/backends.hpp"

// In the place of cuda.cu where the library is built without a CUDA toolkit.
namespace warpwise::detail::sobel {

void sobel_cuda(ConstDeviceView, DeviceView, const SobelOptions&, gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail::sobel
