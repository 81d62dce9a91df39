#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpwise::lab {

/// One measured point: a time `y` at a value `x` of an axis.
struct KneePoint {
  double x = 0;
  double y = 0;
};

/// Where a series that is flat at first begins to rise.
struct Knee {
  double at = 0;                 ///< a value of x, mostly between two that were measured
  double level = 0;              ///< of y, up to there
  double slope = 0;              ///< from there on: what y gains for each 1 of x
  double largest_deviation = 0;  ///< of a measured y from this, as a share of what this says
};

struct KneeSearch {
  std::optional<Knee> knee;
  std::string why_none;  ///< in words, where there is none
};

/// Fewer values of x tell no flat part from a rising one: each needs two.
inline constexpr std::size_t fewest_knee_points = 4;

/// Of all curves that stay at a level up to a knee and follow a line from there on, the one whose
/// squared deviations from the points have the least sum. It is taken for a knee where
/// - at least two points lie up to it and two behind it,
/// - the line has risen by at least 10 % of the level at the last point, and
/// - that rise is more than three times the largest deviation of a point: else it may be noise.
/// \param points  in any order
KneeSearch find_knee(std::vector<KneePoint> points);

}  // namespace warpwise::lab
