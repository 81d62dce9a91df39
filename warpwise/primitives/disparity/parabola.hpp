#pragma once

#include "warpwise/base/host_device.hpp"

namespace warpwise::detail::disparity {

/// Where the parabola through the scores at d − 1, d and d + 1 has its extremum. `at` is strictly
/// better than `before` and not worse than `after`, so that the divisor is not 0 and the result
/// lies within half a pixel of d. No product is added to anything: no compiler can fuse the two.
WARPWISE_HOST_DEVICE inline float parabola(int d, double before, double at, double after) {
  return static_cast<float>(d + (before - after) / (2 * ((before - at) + (after - at))));
}

}  // namespace warpwise::detail::disparity
