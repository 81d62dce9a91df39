// The CUDA backends of a build without a CUDA toolkit: each says that there is no CUDA path.

#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/copy/backends.hpp"
#include "warpwise/primitives/match/backends.hpp"

namespace warpwise::detail {

void copy_cuda(ConstDeviceView, DeviceView, gpu::StreamHandle) { gpu::require_device(); }
void match_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const MatchOptions&,
                std::optional<DeviceView>, gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail
