#pragma once

#include <algorithm>
#include <cstdint>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/gemv/arguments.hpp"
#include "warpwise/primitives/gemv/order.hpp"

// How the kernels of gemv are launched for given arguments, with blocks of gemv_block_threads.
namespace warpwise::detail {

// Blocks that a large GPU runs in a few turns; a thread takes more rows only beyond that.
inline constexpr std::int64_t gemv_enough_blocks = 1024;
inline constexpr std::int64_t gemv_most_rows_each = 8;

/// The kernels stride over what a grid does not cover.
constexpr unsigned gemv_grid(std::int64_t tiles) {
  return static_cast<unsigned>(std::min<std::int64_t>(tiles, 0x7fffffff));
}

inline bool gemv_aligned(const void* data, std::int64_t stride, std::int64_t to) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(to) == 0 &&
         stride % to == 0;
}

/// Fills in what follows from the addresses and strides. \param size  bytes of an element of A and
/// x
inline void set_gemv_alignment(kernels::GemvArguments& a, std::int64_t size) {
  a.x_by_four = a.x_stride == size && gemv_aligned(a.x, 0, 4 * size);
  a.y_by_float = gemv_aligned(a.y, a.y_stride, sizeof(float));
}

inline kernels::GemvAccess gemv_access(const kernels::GemvArguments& a, std::int64_t size) {
  // A pitch between no rows is none.
  const std::int64_t pitch = a.rows > 1 ? a.pitch : 0;
  if (!gemv_aligned(a.a, pitch, size) || !gemv_aligned(a.x, a.x_stride, size)) {
    return kernels::GemvAccess::byte;
  }
  return gemv_aligned(a.a, pitch, 4 * size) && a.columns % 4 == 0 ? kernels::GemvAccess::four
                                                                  : kernels::GemvAccess::element;
}

/// The steps of gemv_rows: rows of at most 64 elements leave most of a thread's loads to further
/// rows. Loads of single bytes have no kernel of their own for that.
inline int gemv_rows_steps(const kernels::GemvArguments& a, kernels::GemvAccess access) {
  return access != kernels::GemvAccess::byte && a.columns <= 64 ? 2 : 8;
}

struct GemvRowsLaunch {
  unsigned grid;
  int pieces;
  int rows_each;
};

inline GemvRowsLaunch gemv_rows_launch(const kernels::GemvArguments& a, int steps) {
  const int pieces = a.columns <= 256 ? 1 : a.columns <= 512 ? 2 : 4;
  const std::int64_t slots = kernels::gemv_block_threads / 8 / pieces;
  const std::int64_t chunks = gpu::blocks_for(a.columns, gemv_order::chunk_columns);
  const std::int64_t blocks = gpu::blocks_for(a.rows, slots) * chunks;
  const std::int64_t most =
      std::max<std::int64_t>(gemv_most_rows_each, kernels::gemv_rows_by_loads / steps);
  const std::int64_t rows_each = std::clamp<std::int64_t>(blocks / gemv_enough_blocks, 1, most);
  const std::int64_t tiles = gpu::blocks_for(a.rows, slots * rows_each) * chunks;
  return {gemv_grid(tiles), pieces, static_cast<int>(rows_each)};
}

struct GemvSumLaunch {
  unsigned grid_x;
  unsigned grid_y;
  const float* sums;
  std::int64_t count;
  float* to;  ///< null: y
};

/// Calls `each` with every launch of gemv_sum in order: it sums the sums of the chunks, whose
/// groups' sums go behind them in the scratch memory, into y. None for a single chunk.
template <class Each>
void for_each_gemv_sum(float* sums, std::int64_t chunks, std::int64_t outputs, const Each& each) {
  for (std::int64_t count = chunks; count > 1;) {
    const std::int64_t groups = gpu::blocks_for(count, gemv_order::group);
    float* const to = groups == 1 ? nullptr : sums + count * outputs;
    each(GemvSumLaunch{gemv_grid(gpu::blocks_for(outputs, kernels::gemv_sum_outputs)),
                       gpu::grid_y(groups), sums, count, to});
    sums = to;
    count = groups;
  }
}

/// Bytes that the sums of the chunks of every output take, those of their groups included; 0 for a
/// single chunk.
inline std::int64_t gemv_scratch_bytes(std::int64_t chunks, std::int64_t outputs) {
  std::int64_t lists = 0;
  for (std::int64_t count = chunks; count > 1; count = gpu::blocks_for(count, gemv_order::group)) {
    lists += count;
  }
  return checked_mul(checked_mul(lists, outputs), sizeof(float));
}

}  // namespace warpwise::detail
