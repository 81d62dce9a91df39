// Loads elements of any type as floats into Highway vectors, and stores the result. The CPU path
// compiles this file once for each SIMD target.
#if defined(WARPWISE_PRIMITIVES_GEMV_CPU_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_GEMV_CPU_LANES_INL_HPP
#undef WARPWISE_PRIMITIVES_GEMV_CPU_LANES_INL_HPP
#else
#define WARPWISE_PRIMITIVES_GEMV_CPU_LANES_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "warpwise/primitives/gemv/cpu_task.hpp"
#include "warpwise/primitives/gemv/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::gemv::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The 32 lanes of order.hpp fill at least two vectors.
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
  // Without a conversion instruction, Highway converts infinities like numbers. This code shifts
  // the bits to a float's positions, where they are the number times 2^-112, even if it is
  // subnormal. An OR then sets the exponent of infinities and NaNs to all ones.
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

/// Loads elements [element, element + count) of a row, 0 < count < width, and sets the other lanes
/// to 0. Reads nothing outside the row's first element + count elements.
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
      // Loads the last `width` elements that may be read, then shifts out those before `element`.
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

/// Prefetches the cache line 512 bytes after element `element` of a row, if `in_line` elements fill
/// whole cache lines. With the number of elements since the start of a line as `in_line`, each line
/// is prefetched once; with 0, every call prefetches. The address may be beyond the matrix.
template <class T>
HWY_INLINE void fetch_ahead(const std::byte* row, std::int64_t element, std::int64_t in_line) {
  constexpr std::int64_t size = sizeof(T);
  if (in_line * size % 64 == 0) hwy::Prefetch(row + element * size + 512);
}

// --- The result ----------------------------------------------------------------------------------

/// Writes `count` elements of y from `first` on, given their sums. `sums` must be readable up to
/// the end of the last vector, because a partial load would wait until preceding stores reach the
/// cache.
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
    if (i < count) {
      const std::int64_t left = count - i;
      std::byte* const to = task.y.at(first + i);
      V value = hn::Mul(alpha, hn::LoadU(D(), sums + i));
      if (task.beta != 0) value = hn::Add(value, hn::Mul(beta, load_first<float>(to, 0, left)));
      store_first(value, left, reinterpret_cast<float*>(to));
      return;
    }
  }
  for (; i < count; ++i) {
    std::byte* const to = task.y.at(first + i);
    float value = task.alpha * sums[i];
    if (task.beta != 0) value = value + task.beta * load<float>(to, 0);
    store(to, 0, value);
  }
}

}  // namespace
}  // namespace warpwise::detail::gemv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
