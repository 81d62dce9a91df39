#pragma once

#include "warpwise/base/host_device.hpp"
#include "warpwise/primitives/shared/matching.hpp"

namespace warpwise::detail::find {

/// Returns true if `a` ranks before `b`: if its score is better, or equal and `a` is first in
/// raster order. The order of places (x, y, score) is total, so the result does not depend on the
/// sequence of comparisons.
template <class Place>
WARPWISE_HOST_DEVICE bool ranks_before(const Place& a, const Place& b, Measure measure) {
  if (a.score != b.score) return least_is_best(measure) ? a.score < b.score : a.score > b.score;
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

/// Returns a score that is worse than every other.
WARPWISE_HOST_DEVICE constexpr double worst_score(Measure measure) {
  return least_is_best(measure) ? 1e300 : -2.0;
}

}  // namespace warpwise::detail::find
