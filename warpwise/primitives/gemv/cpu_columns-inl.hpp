// Columns times x: the CPU path for op(A) = Aᵀ, compiled once for each SIMD target.
#if defined(WARPWISE_PRIMITIVES_GEMV_CPU_COLUMNS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_GEMV_CPU_COLUMNS_INL_HPP
#undef WARPWISE_PRIMITIVES_GEMV_CPU_COLUMNS_INL_HPP
#else
#define WARPWISE_PRIMITIVES_GEMV_CPU_COLUMNS_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "warpwise/primitives/gemv/cpu_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::gemv::HWY_NAMESPACE {
namespace {

/// Source and destination of the sums of one strand.
struct StrandSums {
  const float* from;  ///< sums so far; null: the sums start from zero
  float* to;
  const float* add;  ///< null, or the sums of the strands before this one, added at the end
};

/// Adds `rows` rows, each times its element of x, to the sums of `count` columns.
template <class T, int rows, bool ahead>
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
      if (ahead) fetch_ahead<T>(row[r], j, 0);
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

// Least size of a matrix that is prefetched. Smaller ones are likely to be in a cache.
constexpr std::int64_t least_fetched_bytes = 6 << 20;

// Number of columns whose sums stay in the first-level cache while rows of A stream past.
constexpr std::int64_t columns_at_once = 2048;

/// Computes the sums of one chunk of rows over at most columns_at_once columns.
template <class T>
void sum_strands(const GemvTask& task, const GemvTile& chunk, float* result) {
  alignas(64) float strand_sums[columns_at_once];
  const std::int64_t count = chunk.last_column - chunk.first_column;
  const bool ahead = task.a.height() * task.a.pitch_bytes() >= least_fetched_bytes;
  for (std::int64_t strand = chunk.first_row; strand < chunk.last_row;
       strand += order::strand_rows) {
    const std::int64_t end = std::min(chunk.last_row, strand + order::strand_rows);
    StrandSums sums{nullptr, strand_sums, nullptr};
    const auto add = [&](std::int64_t row, auto rows) HWY_ATTR {
      if (row + rows == end) {
        sums.to = result;
        sums.add = strand == chunk.first_row ? nullptr : result;
      }
      if (rows == 8 && ahead)
        add_rows<T, rows, true>(task, row, chunk.first_column, count, sums);
      else
        add_rows<T, rows, false>(task, row, chunk.first_column, count, sums);
      sums.from = strand_sums;
    };
    std::int64_t row = strand;
    for (; row + 8 <= end; row += 8) add(row, std::integral_constant<int, 8>());
    for (; row + 4 <= end; row += 4) add(row, std::integral_constant<int, 4>());
    for (; row + 2 <= end; row += 2) add(row, std::integral_constant<int, 2>());
    for (; row < end; ++row) add(row, std::integral_constant<int, 1>());
  }
}

/// A range of columns as SIMD vectors. It starts at column `first` of A, and `last` columns are in
/// its last vector.
struct NarrowColumns {
  std::int64_t first;
  std::int64_t last;
};

/// Adds the rows [from, to) of each strand, times their elements of x, to the strands' sums.
template <class T, int across, int strands, int of>
HWY_INLINE void add_strand_rows(const GemvTask& task, std::int64_t first_row, NarrowColumns columns,
                                std::int64_t from, std::int64_t to, V (&sum)[of][across]) {
  for (std::int64_t i = from; i < to; ++i) {
    for (int s = 0; s < strands; ++s) {
      const std::byte* const row = task.a.row(first_row + s * order::strand_rows + i) +
                                   columns.first * std::int64_t{sizeof(T)};
      // A strand is too short for the CPU's prefetcher. Any address may be prefetched.
      if (strands > 1) hwy::Prefetch(row + strands * order::strand_rows * task.a.pitch_bytes());
      const V factor = hn::Set(D(), load<float>(task.x, first_row + s * order::strand_rows + i));
      for (int v = 0; v < across; ++v) {
        const V element = v + 1 < across || columns.last == width
                              ? load_vector<T>(row, v * width)
                              : load_first<T>(row, v * width, columns.last);
        sum[s][v] = hn::Add(sum[s][v], hn::Mul(element, factor));
      }
    }
  }
}

/// Sums a chunk over `across` vectors of columns, and keeps the sums of several strands in
/// registers. The sums of one strand are too few to hide the latency of their additions.
template <class T, int across>
void sum_narrow_chunk(const GemvTask& task, const GemvTile& chunk, float* result) {
  constexpr int strands = across == 1 ? 4 : 2;
  const NarrowColumns columns{chunk.first_column,
                              chunk.last_column - chunk.first_column - (across - 1) * width};
  V total[across];
  for (int v = 0; v < across; ++v) total[v] = hn::Zero(D());
  std::int64_t row = chunk.first_row;
  const auto take = [&](auto count, std::int64_t rows_of_last) HWY_ATTR {
    V sum[count][across];
    for (int s = 0; s < count; ++s) {
      for (int v = 0; v < across; ++v) sum[s][v] = hn::Zero(D());
    }
    add_strand_rows<T, across, count>(task, row, columns, 0, rows_of_last, sum);
    if constexpr (count > 1) {
      add_strand_rows<T, across, count - 1>(task, row, columns, rows_of_last, order::strand_rows,
                                            sum);
    }
    for (int s = 0; s < count; ++s) {
      for (int v = 0; v < across; ++v) total[v] = hn::Add(total[v], sum[s][v]);
    }
    row += count * order::strand_rows;
  };
  while (chunk.last_row - row >= strands * order::strand_rows)
    take(std::integral_constant<int, strands>(), order::strand_rows);
  while (chunk.last_row - row > order::strand_rows)
    take(std::integral_constant<int, 2>(),
         std::min<std::int64_t>(order::strand_rows, chunk.last_row - row - order::strand_rows));
  if (row < chunk.last_row) take(std::integral_constant<int, 1>(), chunk.last_row - row);
  for (int v = 0; v < across; ++v) {
    // In task.sums, the next column's sum follows and must not be overwritten.
    if (v + 1 == across && columns.last < width && task.sums != nullptr)
      store_first(total[v], columns.last, result + v * width);
    else
      hn::StoreU(total[v], D(), result + v * width);
  }
}

#if HWY_TARGET != HWY_SCALAR
// Least number of rows for sum_few_columns. With fewer rows, writing the zeros after the last row
// costs more than it gains.
constexpr std::int64_t least_product_rows = 128;

/// Sums the columns of a contiguous matrix of `columns` floats a row. The first pass multiplies in
/// the order of memory, in vectors that run across rows. The second pass adds the products, one row
/// of each strand at a time.
template <int columns>
void sum_few_columns(const GemvTask& task, const GemvTile& chunk, float* result) {
  constexpr int lanes = columns <= 2 ? columns : columns <= 4 ? 4 : 8;
  const hn::CappedTag<float, lanes> of_row;
  const std::byte* const a = task.a.row(chunk.first_row);
  const std::byte* const x = task.x + chunk.first_row * std::int64_t{sizeof(float)};
  const std::int64_t rows = chunk.last_row - chunk.first_row;
  alignas(64) float products[(order::chunk_rows + 1) * 8];

  // row_of[v]: for each element of vector v, its row, which is the index of its factor in x.
  using Indices = decltype(hn::SetTableIndices(D(), static_cast<const std::int32_t*>(nullptr)));
  Indices row_of[columns];
  for (int v = 0; v < columns; ++v) {
    std::int32_t indices[width];
    for (int i = 0; i < width; ++i) {
      indices[i] = static_cast<std::int32_t>((v * width + i) / columns);
    }
    row_of[v] = hn::SetTableIndices(D(), indices);
  }
  std::int64_t row = 0;
  for (; row + width <= rows; row += width) {
    const V factors = load_vector<float>(x, row);
    for (int v = 0; v < columns; ++v) {
      const std::int64_t at = row * columns + v * width;
      hn::StoreU(hn::Mul(load_vector<float>(a, at), hn::TableLookupLanes(factors, row_of[v])), D(),
                 products + at);
    }
  }
  for (std::int64_t at = row * columns; at < rows * columns; ++at) {
    products[at] = load<float>(a, at) * load<float>(x, at / columns);
  }
  // Zeros after the last row do not change the sums.
  std::fill(products + rows * columns, products + order::chunk_rows * columns + lanes, 0.F);

  using Row = hn::Vec<decltype(of_row)>;
  Row sum[order::chunk_strands];
  for (Row& each : sum) each = hn::Zero(of_row);
  for (int i = 0; i < order::strand_rows; ++i) {
    for (int s = 0; s < order::chunk_strands; ++s) {
      sum[s] =
          hn::Add(sum[s], hn::LoadU(of_row, products + (s * order::strand_rows + i) * columns));
    }
  }
  for (int s = 1; s < order::chunk_strands; ++s) sum[0] = hn::Add(sum[0], sum[s]);
  alignas(64) float part[lanes];
  hn::Store(sum[0], of_row, part);
  std::memcpy(result, part, columns * sizeof(float));
}

/// Calls sum_few_columns if it can take the matrix. Returns true if it was called.
template <class T>
bool sum_as_few_columns(const GemvTask& task, const GemvTile& chunk, float* result) {
  const std::int64_t columns = task.a.width();
  if (!std::is_same_v<T, float> || columns > std::min<std::int64_t>(8, width) ||
      task.a.pitch_bytes() != columns * std::int64_t{sizeof(float)} ||
      chunk.last_row - chunk.first_row < least_product_rows) {
    return false;
  }
  switch (columns) {
    case 1: sum_few_columns<1>(task, chunk, result); break;
    case 2: sum_few_columns<2>(task, chunk, result); break;
    case 3: sum_few_columns<3>(task, chunk, result); break;
    case 4: sum_few_columns<4>(task, chunk, result); break;
#if HWY_TARGET <= HWY_AVX2
    case 5: sum_few_columns<5>(task, chunk, result); break;
    case 6: sum_few_columns<6>(task, chunk, result); break;
    case 7: sum_few_columns<7>(task, chunk, result); break;
    case 8: sum_few_columns<8>(task, chunk, result); break;
#endif
    default: return false;
  }
  return true;
}
#else
template <class T>
bool sum_as_few_columns(const GemvTask&, const GemvTile&, float*) {
  return false;
}
#endif

// Wide matrices with more bytes than this are read by whole rows. If the rows are in a farther
// cache, it takes longer to read a few columns of many rows.
constexpr std::int64_t most_near_bytes = 128 << 10;

template <class T>
void sum_chunk_of_rows(const GemvTask& task, const GemvTile& chunk, float* result) {
  if (sum_as_few_columns<T>(task, chunk, result)) return;
  const bool is_near = task.a.height() >= order::strand_rows &&
                       task.a.height() * task.a.pitch_bytes() <= most_near_bytes;
  if (task.a.width() > 4 * width && !is_near) return sum_strands<T>(task, chunk, result);
  GemvTile part = chunk;
  for (; part.first_column < chunk.last_column; part.first_column = part.last_column) {
    part.last_column = std::min(part.first_column + 4 * width, chunk.last_column);
    float* const to = result + (part.first_column - chunk.first_column);
    switch (blocks_of(part.last_column - part.first_column, width)) {
      case 1: sum_narrow_chunk<T, 1>(task, part, to); break;
      case 2: sum_narrow_chunk<T, 2>(task, part, to); break;
      case 3: sum_narrow_chunk<T, 3>(task, part, to); break;
      default: sum_narrow_chunk<T, 4>(task, part, to); break;
    }
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

/// Multiplies a small matrix, `across` vectors a row. All its rows are one strand.
template <int across>
HWY_INLINE void multiply_small_columns(const SmallGemv& product) {
  static_assert(small_rows <= order::strand_rows);
  const std::int64_t last = product.columns - (across - 1) * width;
  const auto vector = [&](const std::byte* row, int v) HWY_ATTR {
    return v + 1 < across || last == width ? load_vector<float>(row, v * width)
                                           : load_first<float>(row, v * width, last);
  };
  V sum[across];
  for (V& each : sum) each = hn::Zero(D());
  const std::byte* row = product.a;
  for (std::int64_t i = 0; i < product.rows; ++i, row += product.pitch_bytes) {
    const V factor = hn::Set(D(), load<float>(product.x, i));
    for (int v = 0; v < across; ++v) sum[v] = hn::Add(sum[v], hn::Mul(vector(row, v), factor));
  }
  for (int v = 0; v < across; ++v) {
    sum[v] = hn::Mul(hn::Set(D(), product.alpha), sum[v]);
    if (product.beta != 0) {
      sum[v] = hn::Add(sum[v], hn::Mul(hn::Set(D(), product.beta), vector(product.y, v)));
    }
    auto* const to = reinterpret_cast<float*>(product.y) + v * width;
    if (v + 1 < across || last == width)
      hn::StoreU(sum[v], D(), to);
    else
      store_first(sum[v], last, to);
  }
}

template <int... across>
void multiply_small_columns(const SmallGemv& product, std::integer_sequence<int, across...>) {
  const std::int64_t vectors_of_row = blocks_of(product.columns, width);
  ((vectors_of_row == across + 1 ? multiply_small_columns<across + 1>(product) : void()), ...);
}

void small_columns_times_x(const SmallGemv& product) {
  multiply_small_columns(
      product, std::make_integer_sequence<int, static_cast<int>(small_columns / width)>());
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
