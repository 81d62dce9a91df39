#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/gemv/cpu_task.hpp"
#include "warpwise/primitives/gemv/order.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/gemv/cpu.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "warpwise/primitives/gemv/cpu_columns-inl.hpp"
#include "warpwise/primitives/gemv/cpu_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::gemv::HWY_NAMESPACE {
namespace {

// --- Sums of chunks, and x as f32 ----------------------------------------------------------------

/// Sums `count` <= order::group lists, which start `apart` floats apart, in the order of order.hpp:
/// to[j] is the sum of all lists' elements j.
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

/// Adds up the sums of `count` <= order::group chunks for the outputs [first, last), and writes y.
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
}  // namespace warpwise::detail::gemv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail::gemv {
namespace {

HWY_EXPORT(rows_times_x_any);
HWY_EXPORT(columns_times_x_any);
HWY_EXPORT(small_rows_times_x);
HWY_EXPORT(small_columns_times_x);
HWY_EXPORT(sum_group);
HWY_EXPORT(sum_into_y);
HWY_EXPORT(widen_any);

/// An array of floats, on the stack if it is small, so that a small product allocates nothing.
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

/// Calls body(tile) for tiles of at most `tile_rows` rows and `tile_columns` columns of A. A matrix
/// that fits the first-level cache is one tile if `tile_columns` are enough for it.
template <class Body>
void parallel_tiles(const ConstHostView& a, std::int64_t tile_rows, std::int64_t tile_columns,
                    const Body& body) {
  constexpr std::int64_t most_near_bytes = 32 << 10;
  if (a.width() <= tile_columns &&
      (a.height() <= tile_rows || a.height() * a.row_bytes() <= most_near_bytes)) {
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

// Columns of a tile for op(A) = A. The tile's part of x stays in the first-level cache for all rows
// of the tile.
constexpr std::int64_t row_tile_columns = row_tile_chunks * order::chunk_columns;
// Rows of a tile for op(A) = A: a multiple of all the numbers of rows that may be summed at once.
// Tiles of short rows, of at most order::piece_columns columns, have more.
constexpr std::int64_t row_tile_rows = 24;
constexpr std::int64_t short_row_tile_rows = 240;
// Columns of a tile for op(A) = Aᵀ: few, so that every thread gets a tile.
constexpr std::int64_t column_tile_columns = 1024;

void product(const GemvTask& task, bool transpose) {
  if (transpose) {
    parallel_tiles(task.a, order::chunk_rows, column_tile_columns, [&](const GemvTile& tile) {
      HWY_DYNAMIC_DISPATCH(columns_times_x_any)(task, tile);
    });
  } else {
    const bool is_short = task.a.width() <= order::piece_columns;
    parallel_tiles(
        task.a, is_short ? short_row_tile_rows : row_tile_rows, row_tile_columns,
        [&](const GemvTile& tile) { HWY_DYNAMIC_DISPATCH(rows_times_x_any)(task, tile); });
  }
}

/// Adds up the sums of all chunks and writes y.
void sum_chunks(const GemvTask& task, std::int64_t chunks) {
  const std::int64_t outputs = task.y.size;
  while (chunks > order::group) {
    const std::int64_t groups = blocks_of(chunks, order::group);
    cpu::parallel_rows(outputs, chunks * std::int64_t{sizeof(float)}, [&](auto first, auto last) {
      // The sum of group g overwrites list g. This list is in group g or an earlier group, which
      // has already been summed.
      for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t list = g * order::group;
        HWY_DYNAMIC_DISPATCH(sum_group)
        (task.sums + list * outputs + first, std::min<std::int64_t>(order::group, chunks - list),
         outputs, last - first, task.sums + g * outputs + first);
      }
    });
    chunks = groups;
  }
  cpu::parallel_rows(
      outputs, (chunks + 1) * std::int64_t{sizeof(float)},
      [&](auto first, auto last) { HWY_DYNAMIC_DISPATCH(sum_into_y)(task, chunks, first, last); });
}

/// Computes y = beta * y for alpha = 0, where A and x are not read.
void scale(const VectorOf<HostView>& y, float beta) {
  for (std::int64_t i = 0; i < y.size; ++i) {
    store(y.at(i), 0, beta == 0 ? 0 : beta * load<float>(y.at(i), 0));
  }
}

/// Computes the product for x in f32 without gaps.
void product_of(const ConstHostView& a, const std::byte* x, const HostView& y,
                const GemvOptions& options) {
  const std::int64_t chunks = options.transpose ? blocks_of(a.height(), order::chunk_rows)
                                                : blocks_of(a.width(), order::chunk_columns);
  if (chunks == 1) {
    return product({a, x, VectorOf<HostView>(y), options.alpha, options.beta, nullptr},
                   options.transpose);
  }
  const VectorOf<HostView> result(y);
  Scratch sums(checked_mul(chunks, result.size));
  const GemvTask task{a, x, result, options.alpha, options.beta, sums.data()};
  product(task, options.transpose);
  sum_chunks(task, chunks);
}

}  // namespace

void gemv_small_cpu(const SmallGemv& product, bool transpose) {
  return transpose ? HWY_DYNAMIC_DISPATCH(small_columns_times_x)(product)
                   : HWY_DYNAMIC_DISPATCH(small_rows_times_x)(product);
}

void gemv_cpu(const ConstHostView& a, const ConstHostView& x, const HostView& y,
              const GemvOptions& options) {
  if (options.alpha == 0) return scale(VectorOf<HostView>(y), options.beta);
  const VectorOf<ConstHostView> factor(x);
  if (x.type() == ElementType::f32 && factor.stride_bytes == sizeof(float)) {
    return product_of(a, factor.data, y, options);
  }
  Scratch widened(factor.size);
  HWY_DYNAMIC_DISPATCH(widen_any)
  (x.type(), factor.data, factor.stride_bytes, factor.size, widened.data());
  product_of(a, reinterpret_cast<const std::byte*>(widened.data()), y, options);
}

}  // namespace warpwise::detail::gemv
#endif  // HWY_ONCE
