#pragma once

#include "warpwise/base/host_device.hpp"
#include "warpwise/primitives/find/find.hpp"

namespace warpwise::detail {

/// Whether `a` is to be found rather than `b`: the better score, of equal ones the first in raster
/// order. A total order of places, so that it does not matter in which order they are compared.
WARPWISE_HOST_DEVICE inline bool ranks_before(const Finding& a, const Finding& b,
                                              Measure measure) {
  if (a.score != b.score) return least_is_best(measure) ? a.score < b.score : a.score > b.score;
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

}  // namespace warpwise::detail
