#include <algorithm>

#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/copy/backends.hpp"
#include "warpwise/primitives/copy/kernel.cuh"

namespace warpwise::detail {

void copy_cuda(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  gpu::require_device();
  kernels::CopyArguments arguments{
      reinterpret_cast<const unsigned char*>(src.data()),
      reinterpret_cast<unsigned char*>(dst.data()),
      src.pitch_bytes(), dst.pitch_bytes(), src.row_bytes(), src.height()};
  if (src.pitch_bytes() == src.row_bytes() && dst.pitch_bytes() == dst.row_bytes()) {
    arguments.row_bytes *= arguments.rows;  // one long row: no ends to treat apart in between
    arguments.rows = 1;
  }
  // One 16-byte unit more than the row holds, because dst may start inside a unit.
  const std::int64_t blocks =
      gpu::blocks_for(checked_add(arguments.row_bytes, 15), kernels::copy_block_bytes);
  const dim3 grid(gpu::grid_x(blocks), gpu::grid_y(arguments.rows));
  kernels::copy_kernel<<<grid, kernels::copy_block_threads, 0, stream>>>(arguments);
  gpu::check_launch("copy_kernel");
}

}  // namespace warpwise::detail
