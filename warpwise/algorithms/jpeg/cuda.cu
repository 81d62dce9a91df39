#include <utility>

#include "warpwise/algorithms/jpeg/backends.hpp"
#include "warpwise/algorithms/jpeg/kernel.cuh"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/launch.hpp"

namespace warpwise::detail::jpeg {

using namespace kernels::jpeg;

void decode_cuda(Arguments args, gpu::StreamHandle stream) {
  const unsigned groups = gpu::grid_x(gpu::blocks_for(args.sequence_count, sequences_of_block));
  auto* before = const_cast<std::uint64_t*>(args.before);
  settle_kernel<true><<<groups, sequences_of_block, 0, stream>>>(args);
  gpu::check_launch("settle_kernel");
  for (int i = 0; i < settling_launches && groups > 1; ++i) {
    std::swap(before, args.after);
    args.before = before;
    settle_kernel<false><<<groups, sequences_of_block, 0, stream>>>(args);
    gpu::check_launch("settle_kernel");
  }
  group_kernel<<<groups, sequences_of_block, 0, stream>>>(args);
  gpu::check_launch("group_kernel");
  sum_kernel<<<groups, sequences_of_block, 0, stream>>>(args);
  gpu::check_launch("sum_kernel");
  decode_kernel<<<groups, sequences_of_block, 0, stream>>>(args);
  gpu::check_launch("decode_kernel");
  transform_kernel<<<gpu::grid_x(gpu::blocks_for(args.block_count, transform_threads / 8)),
                     transform_threads, 0, stream>>>(args);
  gpu::check_launch("transform_kernel");
  const Plane& luma = args.planes[0];
  constexpr unsigned threads = 256;
  pixels_kernel<<<dim3(gpu::grid_x(gpu::blocks_for(luma.width, threads)), gpu::grid_y(luma.height)),
                  threads, 0, stream>>>(args);
  gpu::check_launch("pixels_kernel");
}

}  // namespace warpwise::detail::jpeg
