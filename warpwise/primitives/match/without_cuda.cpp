#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/match/backends.hpp"

// Replaces cuda.cu where the library is built without a CUDA toolkit.
namespace warpwise::detail::match {

void match_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const MatchOptions&,
                std::optional<DeviceView>, gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail::match
