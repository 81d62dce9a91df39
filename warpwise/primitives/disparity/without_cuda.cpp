#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/disparity/backends.hpp"

// In the place of cuda.cu where the library is built without a CUDA toolkit.
namespace warpwise::detail::disparity {

void disparity_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const DisparityOptions&,
                    gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail::disparity
