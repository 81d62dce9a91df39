#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/gemv/order.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/gemv/cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef WARPWISE_GEMV_CPU_COMMON
#define WARPWISE_GEMV_CPU_COMMON
namespace warpwise::detail {

/// What every task of a call reads.
struct GemvTask {
  ConstHostView a;
  const std::byte* x;  ///< f32 without gaps, any alignment
  std::int64_t outputs;
  float* sums;  ///< sums[chunk * outputs + output]
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

// Lanes of the order of summation fill one vector or several.
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr std::int64_t width = hn::MaxLanes(D());
constexpr int vectors = order::lanes / static_cast<int>(width);

// --- Elements as floats --------------------------------------------------------------------------

HWY_INLINE V load_vector(const float* from) { return hn::LoadU(D(), from); }

HWY_INLINE V load_vector(const Float16* from) {
  const hn::Rebind<hwy::float16_t, D> narrow;
  return hn::PromoteTo(D(), hn::LoadU(narrow, reinterpret_cast<const hwy::float16_t*>(from)));
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

/// The first `count` elements, 0 < count < width, zeros behind them; nothing behind them is read.
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
  std::memcpy(part, from, static_cast<std::size_t>(count) * sizeof(T));
  return load_vector(part);
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

/// Sums one piece of `rows` rows, `count` columns from `column` on, in lanes.
template <class T, int rows>
HWY_INLINE void sum_piece(const std::byte* const (&row)[rows], const std::byte* x,
                          std::int64_t column, std::int64_t count, Piece (&sum)[rows]) {
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) sum[r][v] = hn::Zero(D());
  }
  std::int64_t k = 0;
  for (; k + order::lanes <= count; k += order::lanes) {
    for (int v = 0; v < vectors; ++v) {
      const V factor = load_vector<float>(x, column + k + v * width);
      for (int r = 0; r < rows; ++r) {
        const V element = load_vector<T>(row[r], column + k + v * width);
        sum[r][v] = hn::Add(sum[r][v], hn::Mul(element, factor));
      }
    }
  }
  for (int v = 0; v < vectors; ++v) {
    const std::int64_t left = count - k - v * width;
    const std::int64_t at = column + k + v * width;
    if (left <= 0) break;
    const V factor = left >= width ? load_vector<float>(x, at) : load_first<float>(x, at, left);
    for (int r = 0; r < rows; ++r) {
      const V element = left >= width ? load_vector<T>(row[r], at) : load_first<T>(row[r], at, left);
      sum[r][v] = hn::Add(sum[r][v], hn::Mul(element, factor));
    }
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

// As many rows at once as leave registers for the sums of all of them: x is loaded once for all.
constexpr int rows_at_once = vectors >= 8 ? 1 : vectors == 4 ? 3 : 4;

template <class T, int rows>
HWY_INLINE void sum_rows(const GemvTask& task, const GemvTile& tile, std::int64_t first_row) {
  const std::byte* row[rows];
  for (int r = 0; r < rows; ++r) row[r] = task.a.row(first_row + r);
  for (std::int64_t column = tile.first_column; column < tile.last_column;
       column += order::chunk_columns) {
    sum_chunk<T, rows>(row, task.x, column,
                       std::min<std::int64_t>(order::chunk_columns, tile.last_column - column),
                       task.sums + column / order::chunk_columns * task.outputs + first_row);
  }
}

template <class T>
void rows_times_x(const GemvTask& task, const GemvTile& tile) {
  std::int64_t row = tile.first_row;
  for (; row + rows_at_once <= tile.last_row; row += rows_at_once) {
    sum_rows<T, rows_at_once>(task, tile, row);
  }
  for (; row < tile.last_row; ++row) sum_rows<T, 1>(task, tile, row);
}

void rows_times_x_any(const GemvTask& task, const GemvTile& tile) {
  switch (task.a.type()) {
    case ElementType::f16: return rows_times_x<Float16>(task, tile);
    case ElementType::bf16: return rows_times_x<BFloat16>(task, tile);
    default: return rows_times_x<float>(task, tile);
  }
}

// --- Columns times x -----------------------------------------------------------------------------

/// Where the sums of a strand start and go.
struct StrandSums {
  const float* from;  ///< null: zeros
  float* to;
  const float* add;  ///< null, or what is added at the end of a strand: the strands before it
};

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
  // The sums of a tile lie in memory of whole vectors, save those that go to the caller's.
  alignas(64) float part[width] = {};
  const auto bytes = static_cast<std::size_t>(count - j) * sizeof(float);
  if (sums.from != nullptr) std::memcpy(part, sums.from + j, bytes);
  V sum = hn::Load(D(), part);
  for (int r = 0; r < rows; ++r) {
    sum = hn::Add(sum, hn::Mul(load_first<T>(row[r], j, count - j), factor[r]));
  }
  if (sums.add != nullptr) {
    std::memcpy(part, sums.add + j, bytes);
    sum = hn::Add(hn::Load(D(), part), sum);
  }
  hn::Store(sum, D(), part);
  std::memcpy(sums.to + j, part, bytes);
}

// Columns whose sums stay in the first-level cache beside the rows that stream through it.
constexpr std::int64_t columns_at_once = 2048;

/// The sums of one chunk of rows over at most columns_at_once columns.
template <class T>
void sum_strands(const GemvTask& task, const GemvTile& chunk) {
  alignas(64) float strand_sums[columns_at_once];
  const std::int64_t count = chunk.last_column - chunk.first_column;
  float* const result =
      task.sums + chunk.first_row / order::chunk_rows * task.outputs + chunk.first_column;
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
    for (; row + 2 <= end; row += 2) add(row, std::integral_constant<int, 2>());
    for (; row < end; ++row) add(row, std::integral_constant<int, 1>());
  }
}

template <class T>
void columns_times_x(const GemvTask& task, const GemvTile& tile) {
  for (std::int64_t row = tile.first_row; row < tile.last_row; row += order::chunk_rows) {
    for (std::int64_t column = tile.first_column; column < tile.last_column;
         column += columns_at_once) {
      sum_strands<T>(task, {row, std::min(row + order::chunk_rows, tile.last_row), column,
                            std::min(column + columns_at_once, tile.last_column)});
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

// --- Sums of chunks, and x as f32 ----------------------------------------------------------------

/// to[output] = Σ over `count` <= order::group lists of sums, `outputs` apart, for the outputs
/// [first, last).
void sum_group(const float* sums, std::int64_t count, std::int64_t outputs, std::int64_t first,
               std::int64_t last, float* to) {
  for (std::int64_t j = first; j < last; j += width) {
    const std::int64_t left = std::min(last - j, width);
    alignas(64) float lanes[order::lanes][width] = {};
    alignas(64) float part[width] = {};
    for (std::int64_t c = 0; c < count; ++c) {
      const float* const from = sums + c * outputs + j;
      V value;
      if (left == width) {
        value = hn::LoadU(D(), from);
      } else {
        std::memcpy(part, from, static_cast<std::size_t>(left) * sizeof(float));
        value = hn::Load(D(), part);
      }
      float* const lane = lanes[c % order::lanes];
      hn::Store(hn::Add(hn::Load(D(), lane), value), D(), lane);
    }
    for (int half = order::lanes / 2; half > 0; half /= 2) {
      for (int lane = 0; lane < half; ++lane) {
        hn::Store(hn::Add(hn::Load(D(), lanes[lane]), hn::Load(D(), lanes[lane + half])), D(),
                  lanes[lane]);
      }
    }
    std::memcpy(to + j, lanes[0], static_cast<std::size_t>(left) * sizeof(float));
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
    if constexpr (std::is_same_v<T, float>) to[i] = value;
    else to[i] = to_float(value);
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
  const std::int64_t across = blocks_of(a.width(), tile_columns);
  const std::int64_t tiles = across * blocks_of(a.height(), tile_rows);
  const std::int64_t bytes = std::min(tile_rows, a.height()) * std::min(tile_columns, a.width()) *
                             a.pixel_bytes();
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
// Rows of such a tile, a multiple of any number of rows worked on at once.
constexpr std::int64_t row_tile_rows = 24;

/// sums[chunk * outputs + output] for all of op(A) · x.
void sum_chunks(const GemvTask& task, bool transpose) {
  if (transpose) {
    // Narrow enough to give every thread a part, wide enough to stream.
    parallel_tiles(task.a, gemv_order::chunk_rows, 1024, [&](const GemvTile& tile) {
      HWY_DYNAMIC_DISPATCH(columns_times_x_any)(task, tile);
    });
  } else {
    parallel_tiles(task.a, row_tile_rows, row_tile_columns, [&](const GemvTile& tile) {
      HWY_DYNAMIC_DISPATCH(rows_times_x_any)(task, tile);
    });
  }
}

/// Sums the sums of the chunks, a group at a time, until one is left for each output; it ends up at
/// `sums`.
void sum_groups(float* sums, std::int64_t chunks, std::int64_t outputs) {
  while (chunks > 1) {
    const std::int64_t groups = blocks_of(chunks, gemv_order::group);
    cpu::parallel_rows(outputs, chunks * std::int64_t{sizeof(float)},
                       [&](std::int64_t first, std::int64_t last) {
      // Group g goes where a list was that group g, or one before it, has already read.
      for (std::int64_t g = 0; g < groups; ++g) {
        HWY_DYNAMIC_DISPATCH(sum_group)
        (sums + g * gemv_order::group * outputs,
         std::min<std::int64_t>(gemv_order::group, chunks - g * gemv_order::group), outputs, first,
         last, sums + g * outputs);
      }
    });
    chunks = groups;
  }
}

}  // namespace

void gemv_cpu(ConstHostView a, ConstHostView x, HostView y, const GemvOptions& options) {
  const VectorOf<ConstHostView> factor(x);
  const VectorOf<HostView> result(y);
  const bool product = options.alpha != 0;
  const std::int64_t chunks =
      options.transpose ? blocks_of(a.height(), gemv_order::chunk_rows)
                        : blocks_of(a.width(), gemv_order::chunk_columns);
  Scratch sums(product ? checked_mul(chunks, result.size) : 0);
  if (product) {
    const bool ready = x.type() == ElementType::f32 && factor.stride_bytes == sizeof(float);
    Scratch x_f32(ready ? 0 : factor.size);
    if (!ready) {
      HWY_DYNAMIC_DISPATCH(widen_any)
      (x.type(), factor.data, factor.stride_bytes, factor.size, x_f32.data());
    }
    const auto* const packed =
        ready ? factor.data : reinterpret_cast<const std::byte*>(x_f32.data());
    sum_chunks({a, packed, result.size, sums.data()}, options.transpose);
    sum_groups(sums.data(), chunks, result.size);
  }
  for (std::int64_t i = 0; i < result.size; ++i) {
    std::byte* const to = result.at(i);
    float value = product ? options.alpha * sums.data()[i] : 0;
    if (options.beta != 0) {
      const float kept = options.beta * load<float>(to, 0);
      value = product ? value + kept : kept;
    }
    store(to, 0, value);
  }
}

}  // namespace warpwise::detail
#endif  // HWY_ONCE
