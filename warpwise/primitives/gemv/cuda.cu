#include <algorithm>
#include <cstdint>
#include <optional>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/gemv/kernel.cuh"

namespace warpwise::detail {
namespace {

using kernels::GemvAccess;
using kernels::GemvArguments;

// Blocks that a large GPU runs in a few turns; a thread takes more rows only beyond that.
constexpr std::int64_t enough_blocks = 1024;
constexpr std::int64_t most_rows_each = 8;

unsigned grid_of(std::int64_t tiles) {
  return static_cast<unsigned>(std::min<std::int64_t>(tiles, 0x7fffffff));
}

bool aligned(const void* data, std::int64_t stride, std::int64_t to) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(to) == 0 &&
         stride % to == 0;
}

GemvAccess access_of(const GemvArguments& a, int size) {
  // A pitch between no rows is none.
  const std::int64_t pitch = a.rows > 1 ? a.pitch : 0;
  if (!aligned(a.a, pitch, size) || !aligned(a.x, a.x_stride, size)) return GemvAccess::byte;
  return aligned(a.a, pitch, 4 * size) && a.columns % 4 == 0 ? GemvAccess::four
                                                             : GemvAccess::element;
}

template <class T, GemvAccess access, int steps>
void launch_rows(const GemvArguments& a, gpu::StreamHandle stream) {
  const int pieces = a.columns <= 256 ? 1 : a.columns <= 512 ? 2 : 4;
  const std::int64_t slots = kernels::gemv_block_threads / 8 / pieces;
  const std::int64_t chunks = gpu::blocks_for(a.columns, gemv_order::chunk_columns);
  const std::int64_t blocks = gpu::blocks_for(a.rows, slots) * chunks;
  const std::int64_t most =
      std::max<std::int64_t>(most_rows_each, kernels::gemv_rows_by_loads / steps);
  const std::int64_t rows_each = std::clamp<std::int64_t>(blocks / enough_blocks, 1, most);
  const std::int64_t tiles = gpu::blocks_for(a.rows, slots * rows_each) * chunks;
  kernels::gemv_rows<T, access, steps><<<grid_of(tiles), kernels::gemv_block_threads, 0, stream>>>(
      a, pieces, static_cast<int>(rows_each));
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
      <<<grid_of(tiles), kernels::gemv_block_threads, 0, stream>>>(a, strand_threads);
  gpu::check_launch("gemv_columns");
}

template <class T, GemvAccess access>
void launch_product(const GemvArguments& a, bool transpose, gpu::StreamHandle stream) {
  if (transpose) return launch_columns<T, access>(a, stream);
  // Rows of at most 64 elements leave most of a thread's loads to further rows.
  if constexpr (access != GemvAccess::byte) {
    if (a.columns <= 64) return launch_rows<T, access, 2>(a, stream);
  }
  launch_rows<T, access, 8>(a, stream);
}

template <class T>
void launch_product(const GemvArguments& a, bool transpose, gpu::StreamHandle stream) {
  switch (access_of(a, sizeof(typename T::Element))) {
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

/// Sums the sums of the chunks, whose groups' sums go behind them in the scratch memory, into y.
void launch_sums(const GemvArguments& a, std::int64_t chunks, std::int64_t outputs,
                 gpu::StreamHandle stream) {
  const float* sums = a.sums;
  for (std::int64_t count = chunks; count > 1;) {
    const std::int64_t groups = gpu::blocks_for(count, gemv_order::group);
    float* const to = groups == 1 ? nullptr : const_cast<float*>(sums) + count * outputs;
    const dim3 grid(grid_of(gpu::blocks_for(outputs, kernels::gemv_sum_outputs)),
                    gpu::grid_y(groups));
    kernels::gemv_sum<<<grid, kernels::gemv_block_threads, 0, stream>>>(a, sums, count, outputs,
                                                                        to);
    gpu::check_launch("gemv_sum");
    sums = to;
    count = groups;
  }
}

/// Floats that the sums of the chunks of every output take, those of their groups included.
std::int64_t scratch_floats(std::int64_t chunks, std::int64_t outputs) {
  std::int64_t lists = 0;
  for (std::int64_t count = chunks; count > 1; count = gpu::blocks_for(count, gemv_order::group)) {
    lists += count;
  }
  return checked_mul(lists, outputs);
}

}  // namespace

void gemv_cuda(ConstDeviceView a, ConstDeviceView x, DeviceView y, const GemvOptions& options,
               gpu::StreamHandle stream) {
  gpu::require_device();
  const VectorOf<ConstDeviceView> factor(x);
  const VectorOf<DeviceView> result(y);
  const std::int64_t size = a.pixel_bytes();
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
                          factor.stride_bytes == size && aligned(factor.data, 0, 4 * size),
                          aligned(result.data, result.stride_bytes, sizeof(float))};
  if (options.alpha == 0) {
    const unsigned grid = grid_of(gpu::blocks_for(result.size, kernels::gemv_block_threads));
    kernels::gemv_scale<<<grid, kernels::gemv_block_threads, 0, stream>>>(arguments, result.size);
    gpu::check_launch("gemv_scale");
    return;
  }
  const std::int64_t chunks = options.transpose
                                  ? gpu::blocks_for(a.height(), gemv_order::chunk_rows)
                                  : gpu::blocks_for(a.width(), gemv_order::chunk_columns);
  std::optional<gpu::Buffer> scratch;
  if (chunks > 1) {
    scratch.emplace(checked_mul(scratch_floats(chunks, result.size), sizeof(float)), stream);
    arguments.sums = reinterpret_cast<float*>(scratch->data());
  }
  launch_product(a.type(), arguments, options.transpose, stream);
  launch_sums(arguments, chunks, result.size, stream);
}

}  // namespace warpwise::detail
