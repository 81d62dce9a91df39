// Rows times x: the CPU path for op(A) = A, compiled once for each SIMD target.
#if defined(WARPWISE_PRIMITIVES_GEMV_CPU_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_GEMV_CPU_ROWS_INL_HPP
#undef WARPWISE_PRIMITIVES_GEMV_CPU_ROWS_INL_HPP
#else
#define WARPWISE_PRIMITIVES_GEMV_CPU_ROWS_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "warpwise/primitives/gemv/cpu_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::gemv::HWY_NAMESPACE {
namespace {

/// Sums in lanes (order.hpp) of a piece of a row: the 32 lanes as SIMD vectors.
using Piece = V[vectors];

/// Makes the compiler load a value once for several products. GCC would otherwise load x again for
/// each row, and most CPUs have at most two loads a cycle.
HWY_INLINE V loaded_once(V v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm("" : "+x"(v.raw));
#endif
  return v;
}

// An inner loop keeps vectors_at_once vectors of sums for each of rows_at_once rows. The 16
// registers of SSE and AVX2 hold these sums, a vector of x and a product. With more sums, some
// would be in memory, which costs more than another load of x. Rows that are left over are summed
// rows_left_at_once at once, because each addition to a single row's sums waits for the one before.
// With vectors of four floats they are summed one by one, because two at once took 17 to 30 %
// longer.
constexpr int vectors_at_once = std::min(vectors, 4);
constexpr int rows_at_once = 12 / vectors_at_once;
constexpr int rows_left_at_once = vectors > 4 ? 1 : 8 / vectors_at_once;
constexpr int short_rows_at_once = 8 / vectors_at_once;

/// Sums one piece of each of `rows` rows, only in the lanes of vectors first to
/// first + vectors_at_once − 1.
template <class T, int rows>
HWY_INLINE void sum_part_of_piece(const std::byte* const (&row)[rows], const std::byte* x,
                                  std::int64_t column, std::int64_t count, int first,
                                  Piece (&to)[rows]) {
  V sum[rows][vectors_at_once];
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors_at_once; ++v) sum[r][v] = hn::Zero(D());
  }
  const std::int64_t end = column + count / order::lanes * order::lanes;
  std::int64_t at = column + first * width;
  for (; at < end; at += order::lanes) {
    for (int v = 0; v < vectors_at_once; ++v) {
      const V factor = loaded_once(load_vector<float>(x, at + v * width));
      for (int r = 0; r < rows; ++r) {
        // Only full groups of rows prefetch: fewer rows are read as fast without it.
        if (rows == rows_at_once) fetch_ahead<T>(row[r], at + v * width, v * width);
        sum[r][v] = hn::Add(sum[r][v], hn::Mul(load_vector<T>(row[r], at + v * width), factor));
      }
    }
  }
  if (end < column + count) {
    for (int v = 0; v < vectors_at_once; ++v, at += width) {
      const std::int64_t left = column + count - at;
      if (left <= 0) break;
      const V factor = left >= width ? load_vector<float>(x, at) : load_first<float>(x, at, left);
      for (int r = 0; r < rows; ++r) {
        const V element =
            left >= width ? load_vector<T>(row[r], at) : load_first<T>(row[r], at, left);
        sum[r][v] = hn::Add(sum[r][v], hn::Mul(element, factor));
      }
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors_at_once; ++v) to[r][first + v] = sum[r][v];
  }
}

/// Sums one piece of each of `rows` rows in lanes. The piece has `count` columns from `column` on.
template <class T, int rows>
HWY_INLINE void sum_piece(const std::byte* const (&row)[rows], const std::byte* x,
                          std::int64_t column, std::int64_t count, Piece (&to)[rows]) {
  for (int first = 0; first < vectors; first += vectors_at_once) {
    sum_part_of_piece<T, rows>(row, x, column, count, first, to);
  }
}

// Number of rows whose lanes halves_of_all adds at once: their sums fill one vector. A vector of 16
// lanes is first reduced to 8, because Highway does not interleave across a vector's quarters.
using DShort = hn::CappedTag<float, 8>;
using VShort = hn::Vec<DShort>;
constexpr int short_rows = static_cast<int>(hn::MaxLanes(DShort()));

/// Sums the lanes of each of `short_rows` vectors. Lane r of the result is the sum of v[r]'s lanes,
/// added by halves (order.hpp).
HWY_INLINE VShort halves_of_all(VShort (&v)[short_rows]) {
#if HWY_TARGET == HWY_SCALAR
  return v[0];
#else
  const DShort d;
  const hn::Repartition<std::uint64_t, DShort> pairs;
  if constexpr (short_rows == 8) {
    for (int r = 0; r < 4; ++r) {
      v[r] =
          hn::Add(hn::ConcatLowerLower(d, v[r + 4], v[r]), hn::ConcatUpperUpper(d, v[r + 4], v[r]));
    }
  }
  // Each block of four lanes now holds the lanes of a single row.
  const auto lower = [&](VShort a, VShort b) HWY_ATTR {
    return hn::BitCast(d, hn::InterleaveLower(hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
  };
  const auto upper = [&](VShort a, VShort b) HWY_ATTR {
    return hn::BitCast(d, hn::InterleaveUpper(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
  };
  const VShort even = hn::Add(lower(v[0], v[2]), upper(v[0], v[2]));
  const VShort odd = hn::Add(lower(v[1], v[3]), upper(v[1], v[3]));
  const VShort first = hn::InterleaveLower(d, even, odd);
  const VShort second = hn::InterleaveUpper(d, even, odd);
  return hn::Add(lower(first, second), upper(first, second));
#endif
}

/// Reduces a vector to the length that halves_of_all takes: if it has 16 lanes, adds its upper half
/// to its lower half.
HWY_INLINE VShort halves_of_vector(const V& lanes) {
#if HWY_TARGET <= HWY_AVX3
  return hn::Add(hn::LowerHalf(lanes), hn::UpperHalf(DShort(), lanes));
#else
  return lanes;
#endif
}

/// Reduces the 32 lanes of a sum to one vector that halves_of_all takes. Repeatedly adds the upper
/// half of the lanes to the lower half. Overwrites `lanes`.
HWY_INLINE VShort first_halves(V (&lanes)[vectors]) {
  for (int half = vectors / 2; half > 0; half /= 2) {
    for (int v = 0; v < half; ++v) lanes[v] = hn::Add(lanes[v], lanes[v + half]);
  }
  return halves_of_vector(lanes[0]);
}

/// Sums one chunk of each of `rows` rows: `count` columns from `column` on. sums[r] receives row
/// r's partial sums, one in each lane, which halves_of_all has yet to add.
template <class T, int rows>
HWY_INLINE void sum_chunk(const std::byte* const (&row)[rows], const std::byte* x,
                          std::int64_t column, std::int64_t count, VShort* sums) {
  const int pieces = static_cast<int>((count + order::piece_columns - 1) / order::piece_columns);
  Piece half[2][rows];
  for (int p = 0; p < pieces; p += 2) {
    const std::int64_t from = std::int64_t{p} * order::piece_columns;
    const std::int64_t left = count - from;
    Piece sum[rows];
    sum_piece<T, rows>(row, x, column + from, std::min<std::int64_t>(order::piece_columns, left),
                       sum);
    if (p + 1 < pieces) {
      Piece next[rows];
      sum_piece<T, rows>(row, x, column + from + order::piece_columns,
                         std::min<std::int64_t>(order::piece_columns, left - order::piece_columns),
                         next);
      for (int r = 0; r < rows; ++r) {
        for (int v = 0; v < vectors; ++v) sum[r][v] = hn::Add(sum[r][v], next[r][v]);
      }
    }
    for (int r = 0; r < rows; ++r) {
      for (int v = 0; v < vectors; ++v) half[p / 2][r][v] = sum[r][v];
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      if (pieces > 2) half[0][r][v] = hn::Add(half[0][r][v], half[1][r][v]);
    }
    sums[r] = first_halves(half[0][r]);
  }
}

/// Largest number of rows that sum_block takes. It is a multiple of rows_at_once, rows_left_at_once
/// and short_rows.
constexpr int block_rows = 24;
static_assert(block_rows % rows_at_once == 0 && block_rows % short_rows == 0);

/// Partial sums that halves_of_all has yet to add, as vectors: [chunk of a tile][row of sum_block].
using BlockSums = VShort[row_tile_chunks][block_rows];

/// Sums each chunk of a tile's columns for `rows` rows, from row first_row + number on. Row r's
/// partial sums of chunk c go to sums[c][number + r].
template <class T, int rows>
HWY_INLINE void sum_rows(const GemvTask& task, const GemvTile& tile, std::int64_t first_row,
                         int number, BlockSums& sums) {
  const std::byte* row[rows];
  for (int r = 0; r < rows; ++r) row[r] = task.a.row(first_row + number + r);
  VShort(*chunk)[block_rows] = sums;
  for (std::int64_t column = tile.first_column; column < tile.last_column;
       column += order::chunk_columns, ++chunk) {
    const std::int64_t left = tile.last_column - column;
    sum_chunk<T, rows>(row, task.x, column, std::min<std::int64_t>(order::chunk_columns, left),
                       *chunk + number);
  }
}

/// Sums each chunk of a tile's columns for `count` <= block_rows rows. The first row's sum of chunk
/// c goes to sums[c * y.size].
template <class T>
void sum_block(const GemvTask& task, const GemvTile& tile, std::int64_t first_row, int count,
               float* sums) {
  BlockSums block;
  int number = 0;
  // Takes two groups of rows_left_at_once rows instead of one of rows_at_once, if fewer single rows
  // are then left over.
  const auto best_in_two = [count](int done) {
    const int left = count - done;
    return 2 * rows_left_at_once > rows_at_once && left >= 2 * rows_left_at_once &&
           left < rows_at_once + rows_left_at_once;
  };
  for (; number + rows_at_once <= count && !best_in_two(number); number += rows_at_once) {
    sum_rows<T, rows_at_once>(task, tile, first_row, number, block);
  }
  for (; number + rows_left_at_once <= count; number += rows_left_at_once) {
    sum_rows<T, rows_left_at_once>(task, tile, first_row, number, block);
  }
  for (; number < count; ++number) sum_rows<T, 1>(task, tile, first_row, number, block);
  const int chunks =
      static_cast<int>(blocks_of(tile.last_column - tile.first_column, order::chunk_columns));
  for (int chunk = 0; chunk < chunks; ++chunk) {
    float* const to = sums + (tile.first_column / order::chunk_columns + chunk) * task.y.size;
    for (int first = 0; first < count; first += short_rows) {
      VShort lanes[short_rows];
      for (int r = 0; r < short_rows; ++r) {
        lanes[r] = first + r < count ? block[chunk][first + r] : hn::Zero(DShort());
      }
      const VShort halved = halves_of_all(lanes);
      if (first + short_rows <= count) {
        hn::StoreU(halved, DShort(), to + first);
        continue;
      }
      alignas(32) float part[short_rows];
      hn::Store(halved, DShort(), part);
      for (int r = 0; first + r < count; ++r) to[first + r] = part[r];
    }
  }
}

/// Sums `short_rows` rows, each of at most one piece.
template <class T>
HWY_INLINE void sum_short_rows(const GemvTask& task, std::int64_t first_row, float* sums) {
  constexpr int together = std::min(short_rows, short_rows_at_once);
  VShort sum[short_rows];
  for (int r = 0; r < short_rows; r += together) {
    const std::byte* row[together];
    for (int i = 0; i < together; ++i) row[i] = task.a.row(first_row + r + i);
    Piece piece[together];
    sum_piece<T, together>(row, task.x, 0, task.a.width(), piece);
    for (int i = 0; i < together; ++i) sum[r + i] = first_halves(piece[i]);
  }
  hn::StoreU(halves_of_all(sum), DShort(), sums);
}

/// Stores the sums of rows [first, last), `short_rows` at a time. sum_of(row) returns a row's
/// partial sums, one in each lane. `sums` has room for a multiple of short_rows.
template <class SumOf>
HWY_INLINE void halve_rows(std::int64_t first, std::int64_t last, float* sums, SumOf sum_of) {
  const DShort d;
  VShort sum[short_rows];
  std::int64_t row = first;
  // sum_of() does not start from +0, so a sum may be -0. The addition of zero turns it into +0.
  for (; row + short_rows <= last; row += short_rows) {
    for (int r = 0; r < short_rows; ++r) sum[r] = sum_of(row + r);
    hn::StoreU(hn::Add(halves_of_all(sum), hn::Zero(d)), d, sums + (row - first));
  }
  if (row == last) return;
  for (int r = 0; r < short_rows; ++r) sum[r] = row + r < last ? sum_of(row + r) : hn::Zero(d);
  hn::StoreU(hn::Add(halves_of_all(sum), hn::Zero(d)), d, sums + (row - first));
}

#if HWY_TARGET <= HWY_AVX2
/// Sums rows [first, last), each with at most eight floats.
void sum_rows_of_eight(const GemvTask& task, std::int64_t first, std::int64_t last, float* sums) {
  const DShort d;
  const auto mask = hn::FirstN(d, static_cast<std::size_t>(task.a.width()));
  const VShort x = hn::MaskedLoad(mask, d, reinterpret_cast<const float*>(task.x));
  halve_rows(first, last, sums, [&](std::int64_t row) HWY_ATTR {
    return hn::Mul(hn::MaskedLoad(mask, d, reinterpret_cast<const float*>(task.a.row(row))), x);
  });
}
#endif

/// Sums rows [first, last). Each row has `across` vectors, the last of which may be incomplete. x
/// stays in registers.
template <class T, int across>
void sum_narrow_rows(const GemvTask& task, std::int64_t first, std::int64_t last, float* sums) {
  const std::int64_t rest = task.a.width() - (across - 1) * width;
  const auto vector = [&](const std::byte* row, int v, auto type) HWY_ATTR {
    using Element = decltype(type);
    return v + 1 < across || rest == width ? load_vector<Element>(row, v * width)
                                           : load_first<Element>(row, v * width, rest);
  };
  V x[across];
  for (int v = 0; v < across; ++v) x[v] = vector(task.x, v, float());
  halve_rows(first, last, sums, [&](std::int64_t row) HWY_ATTR {
    const std::byte* const a = task.a.row(row);
    V sum = hn::Mul(vector(a, 0, T()), x[0]);
    if constexpr (across == 2) sum = hn::Add(sum, hn::Mul(vector(a, 1, T()), x[1]));
    return halves_of_vector(sum);
  });
}

/// Sums rows of at most four floats without gaps between them: a vector of sums at a time, one row
/// in each lane.
template <int columns>
void sum_tiny_rows(const GemvTask& task, std::int64_t first, std::int64_t last, float* sums) {
  V x[columns];
  for (int c = 0; c < columns; ++c) x[c] = hn::Set(D(), load<float>(task.x, c));
  const auto* from = reinterpret_cast<const float*>(task.a.row(first));
  std::int64_t row = first;
  for (; row + width <= last; row += width, from += columns * width) {
    V v[columns];
    if constexpr (columns == 1) v[0] = hn::LoadU(D(), from);
    if constexpr (columns == 2) hn::LoadInterleaved2(D(), from, v[0], v[1]);
    if constexpr (columns == 3) hn::LoadInterleaved3(D(), from, v[0], v[1], v[2]);
    if constexpr (columns == 4) hn::LoadInterleaved4(D(), from, v[0], v[1], v[2], v[3]);
    for (int c = 0; c < columns; ++c) v[c] = hn::Add(hn::Zero(D()), hn::Mul(v[c], x[c]));
    // Adds each row's products as order.hpp does: 0 + 2 and 1 + 3, and then these two sums. The
    // other lanes of order.hpp's 32 hold no element.
    if constexpr (columns > 2) v[0] = hn::Add(v[0], v[2]);
    if constexpr (columns > 3) v[1] = hn::Add(v[1], v[3]);
    if constexpr (columns > 1) v[0] = hn::Add(v[0], v[1]);
    hn::StoreU(v[0], D(), sums + (row - first));
  }
#if HWY_TARGET <= HWY_AVX2
  sum_rows_of_eight(task, row, last, sums + (row - first));
#else
  for (; row < last; ++row) {
    float v[4] = {};
    const std::byte* const a = task.a.row(row);
    for (int c = 0; c < columns; ++c) v[c] += load<float>(a, c) * load<float>(task.x, c);
    sums[row - first] = (v[0] + v[2]) + (v[1] + v[3]);
  }
#endif
}

/// Sums rows [first, last), each at most two SIMD vectors long.
template <class T>
void sum_all_narrow_rows(const GemvTask& task, std::int64_t first, std::int64_t last, float* sums) {
  const std::int64_t columns = task.a.width();
  if constexpr (std::is_same_v<T, float>) {
    if (task.a.pitch_bytes() == columns * std::int64_t{sizeof(float)}) {
      switch (columns) {
        case 1: return sum_tiny_rows<1>(task, first, last, sums);
        case 2: return sum_tiny_rows<2>(task, first, last, sums);
        case 3: return sum_tiny_rows<3>(task, first, last, sums);
        case 4: return sum_tiny_rows<4>(task, first, last, sums);
      }
    }
#if HWY_TARGET <= HWY_AVX2
    if (columns <= 8) return sum_rows_of_eight(task, first, last, sums);
#endif
  }
  if (columns <= width) return sum_narrow_rows<T, 1>(task, first, last, sums);
  return sum_narrow_rows<T, 2>(task, first, last, sums);
}

/// Sums rows from `first` on in steps of `short_rows`; returns the first row that is left.
template <class T>
std::int64_t sum_whole_short_rows(const GemvTask& task, std::int64_t first, std::int64_t last,
                                  float* sums) {
  if (task.a.width() <= 2 * width) {
    sum_all_narrow_rows<T>(task, first, last, sums);
    return last;
  }
  std::int64_t row = first;
  for (; row + short_rows <= last; row += short_rows) {
    sum_short_rows<T>(task, row, sums + (row - first));
  }
  return row;
}

/// Sums rows [first, last) of a tile; the first row's sum goes to sums[0].
template <class T>
void sum_all_rows(const GemvTask& task, const GemvTile& tile, std::int64_t first, std::int64_t last,
                  float* sums) {
  std::int64_t row = first;
  if (task.a.width() <= order::piece_columns)
    row = sum_whole_short_rows<T>(task, first, last, sums);
  for (; row < last; row += block_rows) {
    const int count = static_cast<int>(std::min<std::int64_t>(block_rows, last - row));
    sum_block<T>(task, tile, row, count, sums + (row - first));
  }
}

template <class T>
void rows_times_x(const GemvTask& task, const GemvTile& tile) {
  if (task.sums != nullptr) {
    return sum_all_rows<T>(task, tile, tile.first_row, tile.last_row, task.sums + tile.first_row);
  }
  float sums[256];
  for (std::int64_t row = tile.first_row; row < tile.last_row; row += 256) {
    const std::int64_t last = std::min<std::int64_t>(row + 256, tile.last_row);
    sum_all_rows<T>(task, tile, row, last, sums);
    finish(task, row, last - row, sums);
  }
}

/// Multiplies a small matrix of at most eight columns.
void small_rows_times_x(const SmallGemv& product) {
#if HWY_TARGET <= HWY_AVX2
  const DShort d;
  const auto load_few = [d](const std::byte* from, std::int64_t count) HWY_ATTR {
    return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(count)), d,
                          reinterpret_cast<const float*>(from));
  };
  const VShort x = load_few(product.x, product.columns);
  const std::byte* row = product.a;
  for (std::int64_t first = 0; first < product.rows; first += short_rows) {
    const std::int64_t left = std::min<std::int64_t>(short_rows, product.rows - first);
    VShort sum[short_rows];
    for (int r = 0; r < short_rows; ++r) {
      sum[r] = r < left ? hn::Mul(load_few(row, product.columns), x) : hn::Zero(d);
      row += product.pitch_bytes;
    }
    // A product alone may be -0. The addition of zero turns a sum of -0 into +0.
    VShort value = hn::Add(halves_of_all(sum), hn::Zero(d));
    value = hn::Mul(hn::Set(d, product.alpha), value);
    std::byte* const y = product.y + first * std::int64_t{sizeof(float)};
    if (product.beta != 0) {
      value = hn::Add(value, hn::Mul(hn::Set(d, product.beta), load_few(y, left)));
    }
    hn::BlendedStore(value, hn::FirstN(d, static_cast<std::size_t>(left)), d,
                     reinterpret_cast<float*>(y));
  }
#else
  for (std::int64_t row = 0; row < product.rows; ++row) {
    const std::byte* const a = product.a + row * product.pitch_bytes;
    float v[8] = {};
    for (int c = 0; c < product.columns; ++c) v[c] += load<float>(a, c) * load<float>(product.x, c);
    const float even = (v[0] + v[4]) + (v[2] + v[6]), odd = (v[1] + v[5]) + (v[3] + v[7]);
    float value = product.alpha * (even + odd);
    if (product.beta != 0) value = value + product.beta * load<float>(product.y, row);
    store(product.y, row, value);
  }
#endif
}

void rows_times_x_any(const GemvTask& task, const GemvTile& tile) {
  switch (task.a.type()) {
    case ElementType::f16: return rows_times_x<Float16>(task, tile);
    case ElementType::bf16: return rows_times_x<BFloat16>(task, tile);
    default: return rows_times_x<float>(task, tile);
  }
}

}  // namespace
}  // namespace warpwise::detail::gemv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
