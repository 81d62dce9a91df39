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

/// The point at which a curve that is flat at first begins to rise.
struct Knee {
  double at = 0;                 ///< x of the knee, mostly between two measured values
  double level = 0;              ///< y before the knee
  double slope = 0;              ///< rise of y per 1 of x after the knee
  double largest_deviation = 0;  ///< of a measured y from the curve, as a share of the curve
};

struct KneeSearch {
  std::optional<Knee> knee;
  std::string why_none;  ///< reason in words if there is no knee; otherwise empty
};

/// Least number of different x: the flat part and the rising part need two each.
inline constexpr std::size_t fewest_knee_points = 4;

/// Finds the knee of a series of points. It considers all curves that stay at a level up to a knee
/// and then follow a straight line. It takes the curve with the least sum of squared deviations
/// from the points. The result is a knee if
/// - at least two points lie at or before the knee and two behind it,
/// - the line has risen by at least 10 % of the level at the last point, and
/// - this rise is more than three times the largest deviation of a point, since it could otherwise
///   be noise.
///
/// \param points  in any order
KneeSearch find_knee(std::vector<KneePoint> points);

}  // namespace warpwise::lab
