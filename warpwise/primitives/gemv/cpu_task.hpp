#pragma once

#include <cstddef>
#include <cstdint>

#include "warpwise/primitives/gemv/backends.hpp"

// Types shared by the parts of the CPU path, the same for every SIMD target.
namespace warpwise::detail::gemv {

/// Returns the number of blocks of `size` items that hold all of `items`.
constexpr std::int64_t blocks_of(std::int64_t items, std::int64_t size) {
  return (items + size - 1) / size;
}

/// The operands and factors that every task of a call reads.
struct GemvTask {
  ConstHostView a;
  const std::byte* x;  ///< f32 without gaps, at any alignment
  VectorOf<HostView> y;
  float alpha;
  float beta;
  /// partial sums of the chunks (order.hpp): sums[chunk * y.size + output]; null if each output has
  /// a single chunk
  float* sums;
};

/// Largest number of a row's chunks in one tile, for op(A) = A.
inline constexpr int row_tile_chunks = 4;

/// Part of the matrix that one thread processes.
struct GemvTile {
  std::int64_t first_row, last_row;
  std::int64_t first_column, last_column;
};

}  // namespace warpwise::detail::gemv
