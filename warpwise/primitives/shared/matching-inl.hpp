// Arithmetic of matching.hpp in Highway vectors, for the CPU paths. Include after hwy/highway.h in
// a file that foreach_target.h compiles once for each target.
#if defined(WARPWISE_PRIMITIVES_MATCHING_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_MATCHING_INL_HPP
#undef WARPWISE_PRIMITIVES_MATCHING_INL_HPP
#else
#define WARPWISE_PRIMITIVES_MATCHING_INL_HPP
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Loads 32-bit integers and converts them to doubles, exactly.
template <class D>
hn::Vec<D> load_as_double(D d, const std::uint32_t* from) {
  const hn::Rebind<std::uint32_t, D> d32;
  const hn::Rebind<std::uint64_t, D> d64;
  // A double of 2^52 with the integer n in its low mantissa bits is 2^52 + n. Subtracting 2^52
  // leaves n.
  const auto bits = hn::Or(hn::PromoteTo(d64, hn::LoadU(d32, from)),
                           hn::Set(d64, std::uint64_t{0x4330000000000000}));
  return hn::Sub(hn::BitCast(d, bits), hn::Set(d, 4503599627370496.0));
}

/// Computes normalised() of matching.hpp lane by lane, with the same bits.
template <class D, class V>
V normalised_lanes(D d, V numerator, V a, V b) {
  const V product = hn::Mul(a, b);
  return hn::IfThenElseZero(hn::Ne(product, hn::Zero(d)), hn::Div(numerator, hn::Sqrt(product)));
}

#if HWY_TARGET != HWY_SCALAR

/// Computes Σ|a − b| of each 8 bytes, as 64-bit lanes: one instruction on x86.
template <class D, class V>
auto absolute_differences_of_8(D, V a, V b) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  if constexpr (sizeof(V) == 16) {
    return hn::Vec128<std::uint64_t>{_mm_sad_epu8(a.raw, b.raw)};
  }
#if HWY_TARGET <= HWY_AVX2
  else if constexpr (sizeof(V) == 32) {
    return hn::Vec256<std::uint64_t>{_mm256_sad_epu8(a.raw, b.raw)};
  }
#endif
#if HWY_TARGET <= HWY_AVX3
  else {
    return hn::Vec512<std::uint64_t>{_mm512_sad_epu8(a.raw, b.raw)};
  }
#endif
#else
  return hn::SumsOf8(hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a)));
#endif
}

/// Computes sum + a0·b0 + a1·b1 of neighbouring 16-bit lanes, as 32-bit lanes, modulo 2^32.
template <class D, class V, class V16>
V add_products_of_pairs(D d, V sum, V16 a, V16 b) {
#if HWY_ARCH_X86
  auto unused = hn::Zero(d);
  return hn::ReorderWidenMulAccumulate(d, a, b, sum, unused);
#else
  const V a32 = hn::BitCast(d, a), b32 = hn::BitCast(d, b);
  const auto low = [](V v) { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  return hn::Add(sum, hn::Add(hn::Mul(low(a32), low(b32)),
                              hn::Mul(hn::ShiftRight<16>(a32), hn::ShiftRight<16>(b32))));
#endif
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace warpwise::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
