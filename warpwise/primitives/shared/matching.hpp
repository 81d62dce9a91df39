#pragma once

#include "warpwise/base/host_device.hpp"

#ifndef __CUDACC_RTC__
#include <cmath>

#include "warpwise/base/enum_names.hpp"
#endif

// Shared by the primitives that compare blocks of pixels: the measures of similarity and their
// arithmetic, the same on the host and in kernels (nvcc and NVRTC).
namespace warpwise {

/// Measure of the similarity of two blocks a and b of n pixels.
enum class Measure : unsigned char {
  sad,   ///< Σ|a − b|, least is best
  ssd,   ///< Σ(a − b)², least is best
  ncc,   ///< Σab / √(Σa² Σb²), greatest is best; 0 where a block is all zero
  zncc,  ///< ncc of a and b minus their means; 0 where a block is flat
};

#ifndef __CUDACC_RTC__
/// Names for name_of() and value_named(): "sad", …
constexpr auto enum_names(Measure) {
  return std::to_array<EnumName<Measure>>({{Measure::sad, "sad"},
                                           {Measure::ssd, "ssd"},
                                           {Measure::ncc, "ncc"},
                                           {Measure::zncc, "zncc"}});
}
inline constexpr auto all_measures = all_values<Measure>();
#endif

/// Returns true if the least score of a measure is the best one.
WARPWISE_HOST_DEVICE constexpr bool least_is_best(Measure measure) {
  return measure == Measure::sad || measure == Measure::ssd;
}

namespace detail {

/// Computes numerator / √(a · b), with each operation rounded once, so that every backend gets the
/// same bits; 0 where a or b is 0.
WARPWISE_HOST_DEVICE inline double normalised(double numerator, double a, double b) {
  if (a == 0 || b == 0) return 0;
#ifdef __CUDA_ARCH__
  return __ddiv_rn(numerator, __dsqrt_rn(__dmul_rn(a, b)));
#else
  return numerator / std::sqrt(a * b);
#endif
}

}  // namespace detail

/// Computes ncc from the exact sums Σab, Σa², Σb².
WARPWISE_HOST_DEVICE inline double ncc_score(long long ab, long long aa, long long bb) {
  return detail::normalised(static_cast<double>(ab), static_cast<double>(aa),
                            static_cast<double>(bb));
}

/// Computes zncc from the exact sums over n pixels. Every product below stays under 2^63 for 8-bit
/// pixels and n up to 11 million.
WARPWISE_HOST_DEVICE inline double zncc_score(long long n, long long a, long long b, long long ab,
                                              long long aa, long long bb) {
  return detail::normalised(static_cast<double>(n * ab - a * b),
                            static_cast<double>(n * aa - a * a),
                            static_cast<double>(n * bb - b * b));
}

}  // namespace warpwise
