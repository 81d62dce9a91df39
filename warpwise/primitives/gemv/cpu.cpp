#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/gemv/order.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/gemv/cpu.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef WARPWISE_GEMV_CPU_COMMON
#define WARPWISE_GEMV_CPU_COMMON
namespace warpwise::detail {

/// What every task of a call reads.
struct GemvTask {
  ConstHostView a;
  const std::byte* x;  ///< f32 without gaps, any alignment
  VectorOf<HostView> y;
  float alpha;
  float beta;
  float* sums;  ///< sums[chunk * y.size + output]; null when a sum is one chunk and goes to y
};

/// A part of the matrix that one thread works through.
struct GemvTile {
  std::int64_t first_row, last_row;
  std::int64_t first_column, last_column;
};

}  // namespace warpwise::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace order = gemv_order;

constexpr std::int64_t blocks_of(std::int64_t items, std::int64_t size) {
  return (items + size - 1) / size;
}

// Lanes of the order of summation fill one vector or several.
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr std::int64_t width = hn::MaxLanes(D());
constexpr int vectors = order::lanes / static_cast<int>(width);

// --- Elements as floats --------------------------------------------------------------------------

HWY_INLINE V load_vector(const float* from) { return hn::LoadU(D(), from); }

HWY_INLINE V load_vector(const Float16* from) {
#if HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, D> narrow;
  return hn::PromoteTo(D(), hn::LoadU(narrow, reinterpret_cast<const hwy::float16_t*>(from)));
#else
  // Where no instruction converts, Highway takes infinities for numbers. The bits in a float's
  // place are the number times 2^-112, also where it is subnormal; infinity and NaN keep their
  // exponent.
  const hn::Rebind<std::uint16_t, D> narrow;
  const hn::RebindToSigned<D> wide;
  const auto bits =
      hn::PromoteTo(wide, hn::LoadU(narrow, reinterpret_cast<const std::uint16_t*>(from)));
  const auto magnitude = hn::And(bits, hn::Set(wide, 0x7fff));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
  const auto top =
      hn::IfThenElseZero(hn::Gt(magnitude, hn::Set(wide, 0x7bff)), hn::Set(wide, 0x7f800000));
  const V number = hn::Mul(hn::BitCast(D(), hn::ShiftLeft<13>(magnitude)), hn::Set(D(), 0x1p112F));
  return hn::BitCast(D(), hn::Or(hn::Or(hn::BitCast(wide, number), top), sign));
#endif
}

HWY_INLINE V load_vector(const BFloat16* from) {
  const hn::Rebind<std::uint16_t, D> narrow;
  const hn::RebindToUnsigned<D> wide;
  const auto bits = hn::LoadU(narrow, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(D(), hn::ShiftLeft<16>(hn::PromoteTo(wide, bits)));
}

template <class T>
HWY_INLINE V load_vector(const std::byte* row, std::int64_t element) {
  return load_vector(reinterpret_cast<const T*>(row + element * std::int64_t{sizeof(T)}));
}

/// Elements [element, element + count) of a row, 0 < count < width, zeros behind them; nothing
/// outside the row's first element + count elements is read.
template <class T>
HWY_INLINE V load_first(const std::byte* row, std::int64_t element, std::int64_t count) {
  const std::byte* const from = row + element * std::int64_t{sizeof(T)};
#if HWY_TARGET <= HWY_AVX2
  if constexpr (std::is_same_v<T, float>) {
    return hn::MaskedLoad(hn::FirstN(D(), static_cast<std::size_t>(count)), D(),
                          reinterpret_cast<const float*>(from));
  }
#endif
  alignas(64) T part[width] = {};
#if HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(T) == 2) {
    const auto short_of =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(width - count) % width);
    if (element >= short_of) {
      // The last `width` elements of what may be read, moved down by those that are not wanted.
      alignas(16) static constexpr std::uint8_t moves[32] = {
          0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
          255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
      const hn::FixedTag<std::uint8_t, 16> bytes;
      const auto last =
          hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from) - 2 * short_of);
      const auto move = hn::LoadU(bytes, moves + 2 * short_of);
      hn::Store(hn::TableLookupBytesOr0(last, move), bytes, reinterpret_cast<std::uint8_t*>(part));
      return load_vector(part);
    }
  }
#endif
  for (std::int64_t i = 0; i < count && i < width; ++i) part[i] = load<T>(from, i);
  return load_vector(part);
}

// --- The result ----------------------------------------------------------------------------------

/// Writes `count` elements of y from `first` on, given their sums.
void finish(const GemvTask& task, std::int64_t first, std::int64_t count, const float* sums) {
  const V alpha = hn::Set(D(), task.alpha);
  const V beta = hn::Set(D(), task.beta);
  std::int64_t i = 0;
  if (task.y.stride_bytes == sizeof(float)) {
    for (; i + width <= count; i += width) {
      auto* const to = reinterpret_cast<float*>(task.y.at(first + i));
      V value = hn::Mul(alpha, hn::LoadU(D(), sums + i));
      if (task.beta != 0) value = hn::Add(value, hn::Mul(beta, hn::LoadU(D(), to)));
      hn::StoreU(value, D(), to);
    }
  }
  for (; i < count; ++i) {
    std::byte* const to = task.y.at(first + i);
    float value = task.alpha * sums[i];
    if (task.beta != 0) value = value + task.beta * load<float>(to, 0);
    store(to, 0, value);
  }
}

// --- Rows times x --------------------------------------------------------------------------------

/// The lanes of a vector by halves.
template <class Tag>
HWY_INLINE float halves(Tag, hn::Vec<Tag> v) {
#if HWY_TARGET != HWY_SCALAR  // which knows no halves
  if constexpr (hn::MaxLanes(Tag()) > 1) {
    const hn::Half<Tag> half;
    return halves(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
#endif
  return hn::GetLane(v);
}

/// Lanes in memory by halves.
HWY_INLINE float halves(V (&lanes)[vectors]) {
  for (int half = vectors / 2; half > 0; half /= 2) {
    for (int v = 0; v < half; ++v) lanes[v] = hn::Add(lanes[v], lanes[v + half]);
  }
  return halves(D(), lanes[0]);
}

using Piece = V[vectors];

/// Holds the compiler to one load of what several products share. GCC otherwise loads x again for
/// each row, and a CPU has no more than two loads a cycle.
HWY_INLINE V loaded_once(V v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm("" : "+x"(v.raw));
#endif
  return v;
}

// As many vectors of the lanes and rows at once as leave room for x and a product in the 16
// registers of SSE and AVX2: a sum in memory costs more than x loaded again.
constexpr int vectors_at_once = std::min(vectors, 4);
constexpr int rows_at_once = 12 / vectors_at_once;
constexpr int short_rows_at_once = 8 / vectors_at_once;

/// Sums the lanes of vectors_at_once vectors from number `first` on, of one piece of `rows` rows.
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

/// Sums one piece of `rows` rows, `count` columns from `column` on, in lanes.
template <class T, int rows>
HWY_INLINE void sum_piece(const std::byte* const (&row)[rows], const std::byte* x,
                          std::int64_t column, std::int64_t count, Piece (&to)[rows]) {
  for (int first = 0; first < vectors; first += vectors_at_once) {
    sum_part_of_piece<T, rows>(row, x, column, count, first, to);
  }
}

/// Sums one chunk of `rows` rows, `count` columns from `column` on.
template <class T, int rows>
HWY_INLINE void sum_chunk(const std::byte* const (&row)[rows], const std::byte* x,
                          std::int64_t column, std::int64_t count, float* sums) {
  Piece piece[order::chunk_pieces][rows];
  const int pieces = static_cast<int>((count + order::piece_columns - 1) / order::piece_columns);
  for (int p = 0; p < pieces; ++p) {
    const std::int64_t from = std::int64_t{p} * order::piece_columns;
    sum_piece<T, rows>(row, x, column + from,
                       std::min<std::int64_t>(order::piece_columns, count - from), piece[p]);
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      V& sum = piece[0][r][v];
      if (pieces > 1) sum = hn::Add(sum, piece[1][r][v]);
      if (pieces > 2) {
        V upper = piece[2][r][v];
        if (pieces > 3) upper = hn::Add(upper, piece[3][r][v]);
        sum = hn::Add(sum, upper);
      }
    }
    sums[r] = halves(piece[0][r]);
  }
}

template <class T, int rows>
HWY_INLINE void sum_rows(const GemvTask& task, const GemvTile& tile, std::int64_t first_row,
                         float* sums) {
  const std::byte* row[rows];
  for (int r = 0; r < rows; ++r) row[r] = task.a.row(first_row + r);
  for (std::int64_t column = tile.first_column; column < tile.last_column;
       column += order::chunk_columns) {
    sum_chunk<T, rows>(row, task.x, column,
                       std::min<std::int64_t>(order::chunk_columns, tile.last_column - column),
                       sums + column / order::chunk_columns * task.y.size);
  }
}

// Rows whose lanes are added by halves together: one vector of their sums. Vectors of 16 lanes are
// halved first; Highway moves nothing between the quarters of one.
using DShort = hn::CappedTag<float, 8>;
using VShort = hn::Vec<DShort>;
constexpr int short_rows = static_cast<int>(hn::MaxLanes(DShort()));

/// The lanes of each of `short_rows` vectors by halves: sum r goes to lane r.
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
  // Each block of four lanes now holds one of four rows.
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

/// Lanes in memory by halves, down to those that halves_of_all takes.
HWY_INLINE VShort first_halves(V (&lanes)[vectors]) {
  for (int half = vectors / 2; half > 0; half /= 2) {
    for (int v = 0; v < half; ++v) lanes[v] = hn::Add(lanes[v], lanes[v + half]);
  }
#if HWY_TARGET <= HWY_AVX3
  return hn::Add(hn::LowerHalf(lanes[0]), hn::UpperHalf(DShort(), lanes[0]));
#else
  return lanes[0];
#endif
}

/// Sums `short_rows` rows of one piece.
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

/// Sums rows [first, last) of `across` vectors, the last perhaps incomplete, in steps of
/// `short_rows`; returns the row where it stopped. x stays in registers.
template <class T, int across>
std::int64_t sum_narrow_rows(const GemvTask& task, std::int64_t first, std::int64_t last,
                             float* sums) {
  const std::int64_t rest = task.a.width() - (across - 1) * width;
  const auto vector = [&](const std::byte* row, int v, auto type) HWY_ATTR {
    using Element = decltype(type);
    return v + 1 < across || rest == width ? load_vector<Element>(row, v * width)
                                           : load_first<Element>(row, v * width, rest);
  };
  V x[across];
  for (int v = 0; v < across; ++v) x[v] = vector(task.x, v, float());
  std::int64_t row = first;
  for (; row + short_rows <= last; row += short_rows) {
    VShort sum[short_rows];
    for (int r = 0; r < short_rows; ++r) {
      V lanes[vectors];
      for (int v = 0; v < vectors; ++v) {
        lanes[v] = hn::Zero(D());
        if (v >= across) continue;
        lanes[v] = hn::Add(lanes[v], hn::Mul(vector(task.a.row(row + r), v, T()), x[v]));
      }
      sum[r] = first_halves(lanes);
    }
    hn::StoreU(halves_of_all(sum), DShort(), sums + (row - first));
  }
  return row;
}

/// The same for rows of at most four floats without gaps between them: a vector of sums at a time,
/// one row in each lane.
template <int columns>
std::int64_t sum_tiny_rows(const GemvTask& task, std::int64_t first, std::int64_t last,
                           float* sums) {
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
    // What is left of the halves of 32 lanes.
    if constexpr (columns > 2) v[0] = hn::Add(v[0], v[2]);
    if constexpr (columns > 3) v[1] = hn::Add(v[1], v[3]);
    if constexpr (columns > 1) v[0] = hn::Add(v[0], v[1]);
    hn::StoreU(v[0], D(), sums + (row - first));
  }
  for (; row < last; ++row) {
    float v[4] = {};
    const std::byte* const a = task.a.row(row);
    for (int c = 0; c < columns; ++c) v[c] += load<float>(a, c) * load<float>(task.x, c);
    sums[row - first] = (v[0] + v[2]) + (v[1] + v[3]);
  }
  return row;
}

template <class T>
std::int64_t sum_whole_short_rows(const GemvTask& task, std::int64_t first, std::int64_t last,
                                  float* sums) {
  if (std::is_same_v<T, float> &&
      task.a.pitch_bytes() == task.a.width() * std::int64_t{sizeof(float)}) {
    switch (task.a.width()) {
      case 1: return sum_tiny_rows<1>(task, first, last, sums);
      case 2: return sum_tiny_rows<2>(task, first, last, sums);
      case 3: return sum_tiny_rows<3>(task, first, last, sums);
      case 4: return sum_tiny_rows<4>(task, first, last, sums);
    }
  }
  switch (blocks_of(task.a.width(), width)) {
    case 1: return sum_narrow_rows<T, 1>(task, first, last, sums);
    case 2: return sum_narrow_rows<T, std::min(2, vectors)>(task, first, last, sums);
  }
  std::int64_t row = first;
  for (; row + short_rows <= last; row += short_rows) {
    sum_short_rows<T>(task, row, sums + (row - first));
  }
  return row;
}

/// Sums rows [first, last) of a tile; the sum of the first goes to sums[0].
template <class T>
void sum_all_rows(const GemvTask& task, const GemvTile& tile, std::int64_t first, std::int64_t last,
                  float* sums) {
  std::int64_t row = first;
  if (task.a.width() <= order::piece_columns)
    row = sum_whole_short_rows<T>(task, first, last, sums);
  for (; row + rows_at_once <= last; row += rows_at_once) {
    sum_rows<T, rows_at_once>(task, tile, row, sums + (row - first));
  }
  for (; row < last; ++row) sum_rows<T, 1>(task, tile, row, sums + (row - first));
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

void rows_times_x_any(const GemvTask& task, const GemvTile& tile) {
  switch (task.a.type()) {
    case ElementType::f16: return rows_times_x<Float16>(task, tile);
    case ElementType::bf16: return rows_times_x<BFloat16>(task, tile);
    default: return rows_times_x<float>(task, tile);
  }
}

#include "warpwise/primitives/gemv/cpu_columns.inc"

// --- Sums of chunks, and x as f32 ----------------------------------------------------------------

/// to[j] = Σ over `count` <= order::group lists, `apart` elements apart, of their element j.
void sum_group(const float* sums, std::int64_t count, std::int64_t apart, std::int64_t outputs,
               float* to) {
  for (std::int64_t j = 0; j < outputs; j += width) {
    const std::int64_t left = std::min(outputs - j, width);
    const auto list = [&](std::int64_t c) HWY_ATTR {
      const float* const from = sums + c * apart + j;
      if (left == width) return hn::LoadU(D(), from);
      return load_first<float>(reinterpret_cast<const std::byte*>(from), 0, left);
    };
    V lanes[order::lanes];
    std::int64_t used = std::min<std::int64_t>(count, order::lanes);
    for (std::int64_t c = 0; c < used; ++c) lanes[c] = list(c);
    for (std::int64_t c = used; c < count; ++c) {
      lanes[c % order::lanes] = hn::Add(lanes[c % order::lanes], list(c));
    }
    for (std::int64_t half = order::lanes / 2; half > 0; half /= 2) {
      for (std::int64_t lane = half; lane < used; ++lane) {
        lanes[lane - half] = hn::Add(lanes[lane - half], lanes[lane]);
      }
      used = std::min(used, half);
    }
    alignas(64) float part[width];
    hn::Store(lanes[0], D(), part);
    std::memcpy(to + j, part, static_cast<std::size_t>(left) * sizeof(float));
  }
}

/// Sums the sums of `count` <= order::group chunks of the outputs [first, last) into y.
void sum_into_y(const GemvTask& task, std::int64_t count, std::int64_t first, std::int64_t last) {
  float sums[256];
  for (std::int64_t j = first; j < last; j += 256) {
    const std::int64_t outputs = std::min<std::int64_t>(256, last - j);
    sum_group(task.sums + j, count, task.y.size, outputs, sums);
    finish(task, j, outputs, sums);
  }
}

template <class T>
void widen(const std::byte* from, std::int64_t stride_bytes, std::int64_t count, float* to) {
  std::int64_t i = 0;
  if (stride_bytes == std::int64_t{sizeof(T)}) {
    for (; i + width <= count; i += width) hn::StoreU(load_vector<T>(from, i), D(), to + i);
  }
  for (; i < count; ++i) {
    const T value = load<T>(from + i * stride_bytes, 0);
    if constexpr (std::is_same_v<T, float>)
      to[i] = value;
    else
      to[i] = to_float(value);
  }
}

void widen_any(ElementType type, const std::byte* from, std::int64_t stride_bytes,
               std::int64_t count, float* to) {
  switch (type) {
    case ElementType::f16: return widen<Float16>(from, stride_bytes, count, to);
    case ElementType::bf16: return widen<BFloat16>(from, stride_bytes, count, to);
    default: return widen<float>(from, stride_bytes, count, to);
  }
}

}  // namespace
}  // namespace warpwise::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail {
namespace {

HWY_EXPORT(rows_times_x_any);
HWY_EXPORT(columns_times_x_any);
HWY_EXPORT(sum_group);
HWY_EXPORT(sum_into_y);
HWY_EXPORT(widen_any);

constexpr std::int64_t blocks_of(std::int64_t items, std::int64_t size) {
  return (items + size - 1) / size;
}

/// Floats on the stack when they are few, so that a small product allocates nothing.
class Scratch {
 public:
  explicit Scratch(std::int64_t count) {
    if (count > few) memory_.reset(new float[static_cast<std::size_t>(count)]);
  }
  float* data() { return memory_ ? memory_.get() : inside_; }

 private:
  static constexpr std::int64_t few = 2048;
  std::unique_ptr<float[]> memory_;
  float inside_[few];
};

/// Calls body(tile) over tiles of at most `tile_rows` rows and `tile_columns` columns of A.
template <class Body>
void parallel_tiles(ConstHostView a, std::int64_t tile_rows, std::int64_t tile_columns,
                    const Body& body) {
  if (a.height() <= tile_rows && a.width() <= tile_columns) {
    return body(GemvTile{0, a.height(), 0, a.width()});
  }
  const std::int64_t across = blocks_of(a.width(), tile_columns);
  const std::int64_t tiles = across * blocks_of(a.height(), tile_rows);
  const std::int64_t bytes =
      std::min(tile_rows, a.height()) * std::min(tile_columns, a.width()) * a.pixel_bytes();
  cpu::parallel_rows(tiles, bytes, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile) {
      const std::int64_t row = tile / across * tile_rows;
      const std::int64_t column = tile % across * tile_columns;
      body(GemvTile{row, std::min(row + tile_rows, a.height()), column,
                    std::min(column + tile_columns, a.width())});
    }
  });
}

// Columns of a tile of rows times x: x's part stays in the first-level cache for all its rows.
constexpr std::int64_t row_tile_columns = 4 * gemv_order::chunk_columns;
// Rows of such a tile: multiples of any number of rows worked on at once.
constexpr std::int64_t row_tile_rows = 24;
constexpr std::int64_t short_row_tile_rows = 240;
// Columns of a tile of columns times x: few enough to give every thread a part.
constexpr std::int64_t column_tile_columns = 1024;

void product(const GemvTask& task, bool transpose) {
  if (transpose) {
    parallel_tiles(task.a, gemv_order::chunk_rows, column_tile_columns, [&](const GemvTile& tile) {
      HWY_DYNAMIC_DISPATCH(columns_times_x_any)(task, tile);
    });
  } else {
    const bool is_short = task.a.width() <= gemv_order::piece_columns;
    parallel_tiles(task.a, is_short ? short_row_tile_rows : row_tile_rows, row_tile_columns,
                   [&](const GemvTile& tile) {
                     HWY_DYNAMIC_DISPATCH(rows_times_x_any)(task, tile);
                   });
  }
}

/// Sums the sums of the chunks into y.
void sum_chunks(const GemvTask& task, std::int64_t chunks) {
  const std::int64_t outputs = task.y.size;
  while (chunks > gemv_order::group) {
    const std::int64_t groups = blocks_of(chunks, gemv_order::group);
    cpu::parallel_rows(outputs, chunks * std::int64_t{sizeof(float)}, [&](auto first, auto last) {
      // The sum of group g replaces a list that is in group g, or in one that is done.
      for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t list = g * gemv_order::group;
        HWY_DYNAMIC_DISPATCH(sum_group)
        (task.sums + list * outputs + first,
         std::min<std::int64_t>(gemv_order::group, chunks - list), outputs, last - first,
         task.sums + g * outputs + first);
      }
    });
    chunks = groups;
  }
  cpu::parallel_rows(outputs, (chunks + 1) * std::int64_t{sizeof(float)},
                     [&](auto first, auto last) {
                       HWY_DYNAMIC_DISPATCH(sum_into_y)(task, chunks, first, last);
                     });
}

/// y = beta * y, for a product that counts nothing.
void scale(const VectorOf<HostView>& y, float beta) {
  for (std::int64_t i = 0; i < y.size; ++i) {
    store(y.at(i), 0, beta == 0 ? 0 : beta * load<float>(y.at(i), 0));
  }
}

}  // namespace

void gemv_cpu(ConstHostView a, ConstHostView x, HostView y, const GemvOptions& options) {
  const VectorOf<ConstHostView> factor(x);
  const VectorOf<HostView> result(y);
  if (options.alpha == 0) return scale(result, options.beta);

  const bool ready = x.type() == ElementType::f32 && factor.stride_bytes == sizeof(float);
  Scratch widened(ready ? 0 : factor.size);
  const std::byte* x_f32 = factor.data;
  if (!ready) {
    HWY_DYNAMIC_DISPATCH(widen_any)
    (x.type(), factor.data, factor.stride_bytes, factor.size, widened.data());
    x_f32 = reinterpret_cast<const std::byte*>(widened.data());
  }
  const std::int64_t chunks = options.transpose ? blocks_of(a.height(), gemv_order::chunk_rows)
                                                : blocks_of(a.width(), gemv_order::chunk_columns);
  Scratch sums(chunks > 1 ? checked_mul(chunks, result.size) : 0);
  const GemvTask task{
      a, x_f32, result, options.alpha, options.beta, chunks > 1 ? sums.data() : nullptr};
  product(task, options.transpose);
  if (chunks > 1) sum_chunks(task, chunks);
}

}  // namespace warpwise::detail
#endif  // HWY_ONCE
