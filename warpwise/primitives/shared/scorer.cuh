#pragma once

#include "warpwise/primitives/shared/matching.hpp"

// Scores of one template at many places, from exact sums. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels {

/// Sums over the template's pixels a and the image's pixels b at one place. Sum is u32 or u64.
template <class Sum>
struct PlaceSums {
  Sum ab;
  Sum bb;
  unsigned b;
};

/// Computes ncc or zncc of a template at many places, with the same bits as ncc_score() and
/// zncc_score(). Computes the template's part once.
template <Measure measure, class Sum>
class Scorer {
 public:
  /// Takes the number of a template's pixels, Σa and Σa².
  __device__ Scorer(long long pixels, unsigned long long sum, unsigned long long squares)
      : pixels_(static_cast<unsigned>(pixels)), sum_(static_cast<unsigned>(sum)) {
    unsigned long long exact = squares;
    if constexpr (measure == Measure::zncc) exact = pixels * squares - sum * sum;
    templ_ = static_cast<double>(static_cast<long long>(exact));
    root_ = rsqrtf(static_cast<float>(templ_));
  }
  __device__ double score(const PlaceSums<Sum>& place) const {
    return detail::normalised(static_cast<double>(numerator(place)), templ_,
                              static_cast<double>(square(place)));
  }
  /// Returns the score to within 10^-6, in a few instructions; NaN where score()'s divisor is 0.
  __device__ float estimate(const PlaceSums<Sum>& place) const {
    return static_cast<float>(numerator(place)) * root_ * rsqrtf(static_cast<float>(square(place)));
  }

 private:
  // Factors have 32 bits where that is enough: their 64-bit product is then one instruction.
  __device__ long long numerator(const PlaceSums<Sum>& place) const {
    unsigned long long value = place.ab;
    if constexpr (measure == Measure::zncc)
      value = pixels_ * value - static_cast<unsigned long long>(sum_) * place.b;
    return static_cast<long long>(value);
  }
  __device__ long long square(const PlaceSums<Sum>& place) const {
    unsigned long long value = place.bb;
    if constexpr (measure == Measure::zncc)
      value = pixels_ * value - static_cast<unsigned long long>(place.b) * place.b;
    return static_cast<long long>(value);
  }

  unsigned pixels_;
  unsigned sum_;
  double templ_;  // Σa² or nΣa² − (Σa)²
  float root_;    // about 1 / √templ_
};

/// Margin for comparing estimates: a candidate cannot be the best if another candidate's estimate
/// is better by more than this. The margin is ten times the error of an estimate.
inline constexpr float estimate_margin = 1e-5F;

}  // namespace warpwise::kernels
