#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/copy/backends.hpp"
#include "warpwise/primitives/copy/kernel.cuh"
#include "warpwise/primitives/copy/launch.hpp"

namespace warpwise::detail {

void copy_cuda(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  gpu::require_device();
  const CopyLaunch launch =
      copy_launch({reinterpret_cast<const unsigned char*>(src.data()),
                   reinterpret_cast<unsigned char*>(dst.data()), src.pitch_bytes(),
                   dst.pitch_bytes(), src.row_bytes(), src.height()});
  const dim3 grid(launch.grid_x, launch.grid_y);
  kernels::copy_kernel<<<grid, kernels::copy_block_threads, 0, stream>>>(launch.arguments);
  gpu::check_launch("copy_kernel");
}

}  // namespace warpwise::detail
