#include <algorithm>

#include "warpwise/algorithms/chain/backends.hpp"
#include "warpwise/algorithms/chain/kernel.cuh"
#include "warpwise/algorithms/chain/launch.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::detail::chain {
namespace {

/// \tparam most  number of images that the arguments have room for; a launch copies all this room
template <int most>
void launch(const kernels::chain::ChainRule& rule, std::span<const ConstDeviceView> src,
            std::span<const DeviceView> dst, gpu::StreamHandle stream) {
  kernels::chain::ChainArguments<most> arguments{rule, static_cast<int>(src.size()), {}};
  const std::int64_t segment_rows = rows_of_segments(dst, rule.half);
  std::int64_t blocks = 0;
  for (std::size_t i = 0; i < src.size(); ++i) {
    arguments.image[i] = chain_image(src[i], dst[i], rule.half, segment_rows, blocks);
    blocks += blocks_of(arguments.image[i]);
  }
  const auto kernel = rule.half % 2 == 0 ? kernels::chain::chain_kernel<most, false>
                                         : kernels::chain::chain_kernel<most, true>;
  kernel<<<gpu::grid_x(blocks), 32, kernels::chain::chain_shared_bytes(rule.half), stream>>>(
      arguments);
  gpu::check_launch("chain_kernel");
}

}  // namespace

bool is_recorded(gpu::StreamHandle stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  gpu::check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

void run_fused(const kernels::chain::ChainRule& rule, std::span<const ConstDeviceView> src,
               std::span<const DeviceView> dst, gpu::StreamHandle stream) {
  if (src.size() == 1) return launch<1>(rule, src, dst, stream);  // copies short arguments
  constexpr std::size_t most = kernels::chain::chain_images_per_launch;
  for (std::size_t i = 0; i < src.size(); i += most) {
    const std::size_t count = std::min(most, src.size() - i);
    launch<static_cast<int>(most)>(rule, src.subspan(i, count), dst.subspan(i, count), stream);
  }
}

}  // namespace warpwise::detail::chain
