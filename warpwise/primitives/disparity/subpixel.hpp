#pragma once

#include "warpwise/base/host_device.hpp"
#include "warpwise/primitives/shared/matching.hpp"

namespace warpwise::detail::disparity {

/// Returns a score as the parabola uses it. Around the best displacement ssd, ncc and zncc change
/// with the square of the distance. sad rises like √(distance² + noise²), so its square is used.
/// The square is a whole number below 2^48, and the sum of two squares is below 2^53: a double
/// holds both exactly. The result therefore has the same bits if a compiler fuses the square with
/// later operations.
WARPWISE_HOST_DEVICE inline double parabolic(Measure measure, double score) {
  return measure == Measure::sad ? score * score : score;
}

/// Returns the extremum of the parabola through the scores at d − 1, d and d + 1. `at` must be
/// strictly better than `before` and not worse than `after`: then the divisor is not 0 and the
/// result is within half a pixel of d. No product is added to another number, so no compiler can
/// fuse a product and a sum.
WARPWISE_HOST_DEVICE inline float parabola(int d, double before, double at, double after) {
  return static_cast<float>(d + (before - after) / (2 * ((before - at) + (after - at))));
}

/// Returns the displacement between d − 1 and d + 1, refined from the scores at these three.
WARPWISE_HOST_DEVICE inline float refined(Measure measure, int d, double before, double at,
                                          double after) {
  return parabola(d, parabolic(measure, before), parabolic(measure, at), parabolic(measure, after));
}

}  // namespace warpwise::detail::disparity
