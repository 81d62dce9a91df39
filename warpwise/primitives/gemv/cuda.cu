#include <cstdint>
#include <optional>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/gemv/kernel.cuh"
#include "warpwise/primitives/gemv/launch.hpp"

namespace warpwise::detail {
namespace {

using kernels::GemvAccess;
using kernels::GemvArguments;

template <class T, GemvAccess access, int steps>
void launch_rows(const GemvArguments& a, gpu::StreamHandle stream) {
  const GemvRowsLaunch launch = gemv_rows_launch(a, steps);
  kernels::gemv_rows<T, access, steps>
      <<<launch.grid, kernels::gemv_block_threads, 0, stream>>>(a, launch.pieces, launch.rows_each);
  gpu::check_launch("gemv_rows");
}

template <class T, GemvAccess access>
void launch_columns(const GemvArguments& a, gpu::StreamHandle stream) {
  int strand_threads = 1;
  while (strand_threads < 32 && 4 * strand_threads < a.columns) strand_threads *= 2;
  const std::int64_t tile_rows =
      std::int64_t{kernels::gemv_block_threads / strand_threads} * gemv_order::strand_rows;
  const std::int64_t tiles = gpu::blocks_for(a.rows, tile_rows) *
                             gpu::blocks_for(a.columns, std::int64_t{4} * strand_threads);
  kernels::gemv_columns<T, access>
      <<<gemv_grid(tiles), kernels::gemv_block_threads, 0, stream>>>(a, strand_threads);
  gpu::check_launch("gemv_columns");
}

template <class T, GemvAccess access>
void launch_product(const GemvArguments& a, bool transpose, gpu::StreamHandle stream) {
  if (transpose) return launch_columns<T, access>(a, stream);
  if constexpr (access != GemvAccess::byte) {
    if (gemv_rows_steps(a, access) == 2) return launch_rows<T, access, 2>(a, stream);
  }
  launch_rows<T, access, 8>(a, stream);
}

template <class T>
void launch_product(const GemvArguments& a, bool transpose, gpu::StreamHandle stream) {
  switch (gemv_access(a, sizeof(typename T::Element))) {
    case GemvAccess::four: return launch_product<T, GemvAccess::four>(a, transpose, stream);
    case GemvAccess::element: return launch_product<T, GemvAccess::element>(a, transpose, stream);
    case GemvAccess::byte: return launch_product<T, GemvAccess::byte>(a, transpose, stream);
  }
}

void launch_product(ElementType type, const GemvArguments& a, bool transpose,
                    gpu::StreamHandle stream) {
  switch (type) {
    case ElementType::f16: return launch_product<kernels::GemvF16>(a, transpose, stream);
    case ElementType::bf16: return launch_product<kernels::GemvBF16>(a, transpose, stream);
    default: return launch_product<kernels::GemvF32>(a, transpose, stream);
  }
}

void launch_sums(const GemvArguments& a, std::int64_t chunks, std::int64_t outputs,
                 gpu::StreamHandle stream) {
  for_each_gemv_sum(a.sums, chunks, outputs, [&](const GemvSumLaunch& launch) {
    const dim3 grid(launch.grid_x, launch.grid_y);
    kernels::gemv_sum<<<grid, kernels::gemv_block_threads, 0, stream>>>(
        a, launch.sums, launch.count, outputs, launch.to);
    gpu::check_launch("gemv_sum");
  });
}

}  // namespace

void gemv_cuda(ConstDeviceView a, ConstDeviceView x, DeviceView y, const GemvOptions& options,
               gpu::StreamHandle stream) {
  gpu::require_device();
  const VectorOf<ConstDeviceView> factor(x);
  const VectorOf<DeviceView> result(y);
  GemvArguments arguments{reinterpret_cast<const unsigned char*>(a.data()),
                          reinterpret_cast<const unsigned char*>(factor.data),
                          reinterpret_cast<unsigned char*>(result.data),
                          a.pitch_bytes(),
                          a.height(),
                          a.width(),
                          factor.stride_bytes,
                          result.stride_bytes,
                          nullptr,
                          options.alpha,
                          options.beta,
                          false,
                          false};
  set_gemv_alignment(arguments, a.pixel_bytes());
  if (options.alpha == 0) {
    const unsigned grid = gemv_grid(gpu::blocks_for(result.size, kernels::gemv_block_threads));
    kernels::gemv_scale<<<grid, kernels::gemv_block_threads, 0, stream>>>(arguments, result.size);
    gpu::check_launch("gemv_scale");
    return;
  }
  const std::int64_t chunks = options.transpose
                                  ? gpu::blocks_for(a.height(), gemv_order::chunk_rows)
                                  : gpu::blocks_for(a.width(), gemv_order::chunk_columns);
  std::optional<gpu::Buffer> scratch;
  if (chunks > 1) {
    scratch.emplace(gemv_scratch_bytes(chunks, result.size), stream);
    arguments.sums = reinterpret_cast<float*>(scratch->data());
  }
  launch_product(a.type(), arguments, options.transpose, stream);
  launch_sums(arguments, chunks, result.size, stream);
}

}  // namespace warpwise::detail
