#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/disparity/backends.hpp"

// Replaces cuda.cu if the library is built without a CUDA toolkit.
namespace warpwise::detail::disparity {

void disparity_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const DisparityOptions&,
                    gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail::disparity
