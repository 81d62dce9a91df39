// Columns times x: the part of the CPU path that computes op(A) = Aᵀ, once for each SIMD target.
#if defined(WARPWISE_PRIMITIVES_GEMV_CPU_COLUMNS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_GEMV_CPU_COLUMNS_INL_HPP
#undef WARPWISE_PRIMITIVES_GEMV_CPU_COLUMNS_INL_HPP
#else
#define WARPWISE_PRIMITIVES_GEMV_CPU_COLUMNS_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "warpwise/primitives/gemv/cpu_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::gemv::HWY_NAMESPACE {
namespace {

/// Where the sums of a strand start and go.
struct StrandSums {
  const float* from;  ///< null: zeros
  float* to;
  const float* add;  ///< null, or what is added at the end of a strand: the strands before it
};

/// Writes the first `count` lanes, 0 < count < width.
HWY_INLINE void store_first(V v, std::int64_t count, float* to) {
#if HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(v, hn::FirstN(D(), static_cast<std::size_t>(count)), D(), to);
#else
  alignas(64) float part[width];
  hn::Store(v, D(), part);
  std::memcpy(to, part, static_cast<std::size_t>(count) * sizeof(float));
#endif
}

/// Adds `rows` rows, each times its element of x, to the sums of `count` columns.
template <class T, int rows>
HWY_INLINE void add_rows(const GemvTask& task, std::int64_t first_row, std::int64_t first_column,
                         std::int64_t count, const StrandSums& sums) {
  const std::byte* row[rows];
  V factor[rows];
  for (int r = 0; r < rows; ++r) {
    row[r] = task.a.row(first_row + r) + first_column * std::int64_t{sizeof(T)};
    factor[r] = hn::Set(D(), load<float>(task.x, first_row + r));
  }
  std::int64_t j = 0;
  for (; j + width <= count; j += width) {
    V sum = sums.from == nullptr ? hn::Zero(D()) : hn::LoadU(D(), sums.from + j);
    for (int r = 0; r < rows; ++r) {
      sum = hn::Add(sum, hn::Mul(load_vector<T>(row[r], j), factor[r]));
    }
    if (sums.add != nullptr) sum = hn::Add(hn::LoadU(D(), sums.add + j), sum);
    hn::StoreU(sum, D(), sums.to + j);
  }
  if (j == count) return;
  const std::int64_t left = count - j;
  const auto load_sums = [&](const float* from) HWY_ATTR {
    return load_first<float>(reinterpret_cast<const std::byte*>(from), j, left);
  };
  V sum = sums.from == nullptr ? hn::Zero(D()) : load_sums(sums.from);
  for (int r = 0; r < rows; ++r) {
    sum = hn::Add(sum, hn::Mul(load_first<T>(row[r], j, left), factor[r]));
  }
  if (sums.add != nullptr) sum = hn::Add(load_sums(sums.add), sum);
  store_first(sum, left, sums.to + j);
}

// Columns whose sums stay in the first-level cache beside the rows that stream through it.
constexpr std::int64_t columns_at_once = 2048;

/// The sums of one chunk of rows over at most columns_at_once columns.
template <class T>
void sum_strands(const GemvTask& task, const GemvTile& chunk, float* result) {
  alignas(64) float strand_sums[columns_at_once];
  const std::int64_t count = chunk.last_column - chunk.first_column;
  for (std::int64_t strand = chunk.first_row; strand < chunk.last_row;
       strand += order::strand_rows) {
    const std::int64_t end = std::min(chunk.last_row, strand + order::strand_rows);
    StrandSums sums{nullptr, strand_sums, nullptr};
    const auto add = [&](std::int64_t row, auto rows) HWY_ATTR {
      if (row + rows == end) {
        sums.to = result;
        sums.add = strand == chunk.first_row ? nullptr : result;
      }
      add_rows<T, rows>(task, row, chunk.first_column, count, sums);
      sums.from = strand_sums;
    };
    std::int64_t row = strand;
    for (; row + 8 <= end; row += 8) add(row, std::integral_constant<int, 8>());
    for (; row + 4 <= end; row += 4) add(row, std::integral_constant<int, 4>());
    for (; row + 2 <= end; row += 2) add(row, std::integral_constant<int, 2>());
    for (; row < end; ++row) add(row, std::integral_constant<int, 1>());
  }
}

/// The same for a matrix of at most `across` vectors a row, with the sums of `strands` strands in
/// registers: too few columns to hide behind one another the latencies of a strand's sums.
template <class T, int across, int strands>
HWY_INLINE void sum_narrow_strands(const GemvTask& task, std::int64_t first_row, std::int64_t rows,
                                   V (&sum)[strands][across]) {
  const std::int64_t last = task.a.width() - (across - 1) * width;
  for (int s = 0; s < strands; ++s) {
    for (int v = 0; v < across; ++v) sum[s][v] = hn::Zero(D());
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (int s = 0; s < strands; ++s) {
      const std::byte* const row = task.a.row(first_row + s * order::strand_rows + i);
      // Strands side by side are too short for the CPU to see what comes next; any address will do.
      if (strands > 1) hwy::Prefetch(row + strands * order::strand_rows * task.a.pitch_bytes());
      const V factor = hn::Set(D(), load<float>(task.x, first_row + s * order::strand_rows + i));
      for (int v = 0; v < across; ++v) {
        const V element = v + 1 < across || last == width ? load_vector<T>(row, v * width)
                                                          : load_first<T>(row, v * width, last);
        sum[s][v] = hn::Add(sum[s][v], hn::Mul(element, factor));
      }
    }
  }
}

template <class T, int across>
void sum_narrow_chunk(const GemvTask& task, const GemvTile& chunk, float* result) {
  constexpr int strands = across == 1 ? 4 : 1;
  V total[across];
  for (int v = 0; v < across; ++v) total[v] = hn::Zero(D());
  std::int64_t row = chunk.first_row;
  for (; row + strands * order::strand_rows <= chunk.last_row;
       row += strands * order::strand_rows) {
    V sum[strands][across];
    sum_narrow_strands<T>(task, row, order::strand_rows, sum);
    for (int s = 0; s < strands; ++s) {
      for (int v = 0; v < across; ++v) total[v] = hn::Add(total[v], sum[s][v]);
    }
  }
  for (; row < chunk.last_row; row += order::strand_rows) {
    V sum[1][across];
    sum_narrow_strands<T>(task, row,
                          std::min<std::int64_t>(order::strand_rows, chunk.last_row - row), sum);
    for (int v = 0; v < across; ++v) total[v] = hn::Add(total[v], sum[0][v]);
  }
  alignas(64) float sums[across * width];
  for (int v = 0; v < across; ++v) hn::Store(total[v], D(), sums + v * width);
  std::memcpy(result, sums, static_cast<std::size_t>(task.a.width()) * sizeof(float));
}

template <class T>
void sum_chunk_of_rows(const GemvTask& task, const GemvTile& chunk, float* result) {
  switch (blocks_of(task.a.width(), width)) {
    case 1: return sum_narrow_chunk<T, 1>(task, chunk, result);
    case 2: return sum_narrow_chunk<T, 2>(task, chunk, result);
    case 3: return sum_narrow_chunk<T, 3>(task, chunk, result);
    case 4: return sum_narrow_chunk<T, 4>(task, chunk, result);
    default: return sum_strands<T>(task, chunk, result);
  }
}

template <class T>
void columns_times_x(const GemvTask& task, const GemvTile& tile) {
  for (std::int64_t column = tile.first_column; column < tile.last_column;
       column += columns_at_once) {
    const std::int64_t last = std::min(column + columns_at_once, tile.last_column);
    if (task.sums == nullptr) {
      float sums[columns_at_once];
      sum_chunk_of_rows<T>(task, {tile.first_row, tile.last_row, column, last}, sums);
      finish(task, column, last - column, sums);
      continue;
    }
    for (std::int64_t row = tile.first_row; row < tile.last_row; row += order::chunk_rows) {
      sum_chunk_of_rows<T>(task,
                           {row, std::min(row + order::chunk_rows, tile.last_row), column, last},
                           task.sums + row / order::chunk_rows * task.y.size + column);
    }
  }
}

void columns_times_x_any(const GemvTask& task, const GemvTile& tile) {
  switch (task.a.type()) {
    case ElementType::f16: return columns_times_x<Float16>(task, tile);
    case ElementType::bf16: return columns_times_x<BFloat16>(task, tile);
    default: return columns_times_x<float>(task, tile);
  }
}

}  // namespace
}  // namespace warpwise::detail::gemv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
