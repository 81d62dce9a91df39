#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/convert/backends.hpp"

namespace warpwise::detail {

void convert_cuda(ConstDeviceFrame, DeviceFrame, const Conversion&, gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail
