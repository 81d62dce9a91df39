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

#include "warpwise/primitives/gemv/cpu_columns-inl.hpp"
#include "warpwise/primitives/gemv/cpu_rows-inl.hpp"

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
    parallel_tiles(
        task.a, is_short ? short_row_tile_rows : row_tile_rows, row_tile_columns,
        [&](const GemvTile& tile) { HWY_DYNAMIC_DISPATCH(rows_times_x_any)(task, tile); });
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
  cpu::parallel_rows(
      outputs, (chunks + 1) * std::int64_t{sizeof(float)},
      [&](auto first, auto last) { HWY_DYNAMIC_DISPATCH(sum_into_y)(task, chunks, first, last); });
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
