#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/find/backends.hpp"

// Replaces cuda.cu if the library is built without a CUDA toolkit.
namespace warpwise::detail::find {

void find_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const std::optional<DeviceView>&,
               Measure, gpu::StreamHandle, bool) {
  gpu::require_device();
}

}  // namespace warpwise::detail::find
