#pragma once

#include "warpwise/base/host_device.hpp"
#include "warpwise/primitives/shared/matching.hpp"

namespace warpwise::detail::disparity {

/// A score as the parabola takes it. Around the best displacement ssd, ncc and zncc rise and fall
/// by squares of the distance; sad rises as its root, √(distance² + noise²), so its square is
/// taken. That is a whole number below 2^48, the sum of two below 2^53: a double holds them
/// exactly, and the results are the same bits whether or not a compiler fuses the product with what
/// follows.
WARPWISE_HOST_DEVICE inline double parabolic(Measure measure, double score) {
  return measure == Measure::sad ? score * score : score;
}

/// Where the parabola through the scores at d − 1, d and d + 1 has its extremum. `at` is strictly
/// better than `before` and not worse than `after`, so that the divisor is not 0 and the result
/// lies within half a pixel of d. No product is added to anything: no compiler can fuse the two.
WARPWISE_HOST_DEVICE inline float parabola(int d, double before, double at, double after) {
  return static_cast<float>(d + (before - after) / (2 * ((before - at) + (after - at))));
}

/// The displacement between d − 1 and d + 1 that the scores of these three tell.
WARPWISE_HOST_DEVICE inline float refined(Measure measure, int d, double before, double at,
                                          double after) {
  return parabola(d, parabolic(measure, before), parabolic(measure, at), parabolic(measure, after));
}

}  // namespace warpwise::detail::disparity
