#include "warpwise/algorithms/chain/backends.hpp"
#include "warpwise/gpu/device.hpp"

// Replaces cuda.cu if the library is built without a CUDA toolkit.
namespace warpwise::detail::chain {

bool is_recorded(gpu::StreamHandle) {
  gpu::require_device();
  return false;
}

void run_fused(const kernels::chain::ChainRule&, std::span<const ConstDeviceView>,
               std::span<const DeviceView>, gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail::chain
