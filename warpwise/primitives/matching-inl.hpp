// The arithmetic of matching.hpp in Highway vectors, for the CPU paths: to be included behind
// hwy/highway.h in a file that foreach_target.h compiles once for each target.
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

/// The doubles equal to as many 32-bit integers, exactly.
template <class D>
hn::Vec<D> load_as_double(D d, const std::uint32_t* from) {
  const hn::Rebind<std::uint32_t, D> d32;
  const hn::Rebind<std::uint64_t, D> d64;
  // As the low mantissa bits of 2^52 an integer below 2^52 is itself, once 2^52 is taken off.
  const auto bits = hn::Or(hn::PromoteTo(d64, hn::LoadU(d32, from)),
                           hn::Set(d64, std::uint64_t{0x4330000000000000}));
  return hn::Sub(hn::BitCast(d, bits), hn::Set(d, 4503599627370496.0));
}

/// normalised() of matching.hpp, lane by lane, to the same bits.
template <class D, class V>
V normalised_lanes(D d, V numerator, V a, V b) {
  const V product = hn::Mul(a, b);
  return hn::IfThenElseZero(hn::Ne(product, hn::Zero(d)), hn::Div(numerator, hn::Sqrt(product)));
}

}  // namespace warpwise::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
