#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start.hpp"
#include "warpwise/primitives/copy/backends.hpp"
#include "warpwise/primitives/copy/kernel.cuh"
#include "warpwise/primitives/copy/launch.hpp"

namespace warpwise::detail::copy {

void copy_cuda(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  gpu::require_device();
  const auto launch = copy_launch(
      src, dst, tuning::chosen(block_threads_tunable, 0, src.row_bytes() * src.height()));
  gpu::start(kernels::copy::copy_kernel, launch, kernel_name(launch.kernel), stream);
}

}  // namespace warpwise::detail::copy
