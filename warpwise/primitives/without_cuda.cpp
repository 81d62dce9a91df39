// The CUDA backends of a build without a CUDA toolkit: each says that there is no CUDA path.

#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/copy/backends.hpp"
#include "warpwise/primitives/disparity/backends.hpp"
#include "warpwise/primitives/find/backends.hpp"

namespace warpwise::detail {

void copy_cuda(ConstDeviceView, DeviceView, gpu::StreamHandle) { gpu::require_device(); }
void disparity_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const DisparityOptions&,
                    gpu::StreamHandle) {
  gpu::require_device();
}
void find_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const std::optional<DeviceView>&, Measure,
               gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail
