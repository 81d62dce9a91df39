#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
namespace warpwise::detail {
void gemv_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const GemvOptions&,
               gpu::StreamHandle) {
  gpu::require_device();
}
}  // namespace warpwise::detail
