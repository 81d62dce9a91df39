#pragma once

#include <cstddef>
#include <cstdint>

#include "warpwise/primitives/gemv/backends.hpp"

// What the parts of the CPU path tell each other, the same for every SIMD target.
namespace warpwise::detail::gemv {

/// Blocks of `size` items that hold all of `items`.
constexpr std::int64_t blocks_of(std::int64_t items, std::int64_t size) {
  return (items + size - 1) / size;
}

/// What every task of a call reads.
struct GemvTask {
  ConstHostView a;
  const std::byte* x;  ///< f32 without gaps, any alignment
  VectorOf<HostView> y;
  float alpha;
  float beta;
  float* sums;  ///< sums[chunk * y.size + output]; null when a sum is one chunk and goes to y
};

/// Chunks of a row that a tile of rows times x has at most.
inline constexpr int row_tile_chunks = 4;

/// A part of the matrix that one thread works through.
struct GemvTile {
  std::int64_t first_row, last_row;
  std::int64_t first_column, last_column;
};

}  // namespace warpwise::detail::gemv
