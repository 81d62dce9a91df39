#pragma once

#include "warpwise/base/host_device.hpp"
#include "warpwise/primitives/shared/matching.hpp"

namespace warpwise::detail::find {

/// Whether `a` is to be found rather than `b`: the better score, of equal ones the first in raster
/// order. A total order of places (x, y, score), so that it does not matter in which order they are
/// compared.
template <class Place>
WARPWISE_HOST_DEVICE bool ranks_before(const Place& a, const Place& b, Measure measure) {
  if (a.score != b.score) return least_is_best(measure) ? a.score < b.score : a.score > b.score;
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

/// A score that every other one is better than.
WARPWISE_HOST_DEVICE constexpr double worst_score(Measure measure) {
  return least_is_best(measure) ? 1e300 : -2.0;
}

}  // namespace warpwise::detail::find
