#include "warpwise/lab/study/show/knee.hpp"
#include "warpwise/base/counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace warpwise::lab {
namespace {

constexpr double least_rise = 0.10;          // least rise of a knee, as a share of the level
constexpr double least_rise_of_noise = 3.0;  // least rise as a multiple of the largest deviation

struct FittedLine {
  double level = 0;  // y at x = 0
  double slope = 0;
};

// Fits a line by least squares. The line is flat if all points have the same x.
template <class X>
FittedLine line_through(std::span<const KneePoint> points, const X& x_of) {
  const auto count = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const KneePoint& each : points) {
    mean_x += x_of(each) / count;
    mean_y += each.y / count;
  }
  double products = 0;
  double squares = 0;
  for (const KneePoint& each : points) {
    products += (x_of(each) - mean_x) * (each.y - mean_y);
    squares += (x_of(each) - mean_x) * (x_of(each) - mean_x);
  }
  const double slope = squares > 0 ? products / squares : 0;
  return {mean_y - slope * mean_x, slope};
}

double value_at(const Knee& knee, double x) {
  return knee.level + knee.slope * std::max(0.0, x - knee.at);
}

double squared_deviations(const Knee& knee, std::span<const KneePoint> points) {
  double sum = 0;
  for (const KneePoint& each : points) {
    const double deviation = each.y - value_at(knee, each.x);
    sum += deviation * deviation;
  }
  return sum;
}

// Returns the curve that fits the points best if the knee is at x = `at`.
Knee fitted_at(double at, std::span<const KneePoint> points) {
  const FittedLine line =
      line_through(points, [&](const KneePoint& each) { return std::max(0.0, each.x - at); });
  return {at, line.level, line.slope, 0};
}

// Returns the values of x at which the best knee can be. Between two neighbouring points, the best
// knee is where two lines meet: the mean of all points before it, and the line through all points
// behind it. If the lines do not meet there, only the two points are candidates.
std::vector<double> candidates(std::span<const KneePoint> points) {
  std::vector<double> result;
  for (std::size_t flat = 1; flat < points.size(); ++flat) {
    result.push_back(points[flat - 1].x);
    const FittedLine before =
        line_through(points.first(flat), [](const KneePoint&) { return 0.0; });
    const FittedLine behind =
        line_through(points.subspan(flat), [](const KneePoint& each) { return each.x; });
    if (behind.slope == 0) continue;
    const double meeting = (before.level - behind.level) / behind.slope;
    if (meeting > points[flat - 1].x && meeting < points[flat].x) result.push_back(meeting);
  }
  return result;
}

Knee best_fit(std::span<const KneePoint> points) {
  Knee best;
  double least = INFINITY;
  for (const double at : candidates(points)) {
    const Knee knee = fitted_at(at, points);
    const double deviations = squared_deviations(knee, points);
    if (deviations < least) {
      least = deviations;
      best = knee;
    }
  }
  return best;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

KneeSearch find_knee(std::vector<KneePoint> points) {
  const auto none = [](std::string why) { return KneeSearch{std::nullopt, std::move(why)}; };
  std::sort(points.begin(), points.end(),
            [](const KneePoint& a, const KneePoint& b) { return a.x < b.x; });
  std::size_t values = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || points[i].x != points[i - 1].x) ++values;
  }
  if (values < fewest_knee_points) {
    return none(fmt::format("{} cannot show a knee; at least {} are needed",
                            counted(values, "point"), fewest_knee_points));
  }
  Knee knee = best_fit(points);
  double largest = 0;
  for (const KneePoint& each : points) {
    const double expected = value_at(knee, each.x);
    largest = std::max(largest, std::abs(each.y - expected));
    knee.largest_deviation =
        std::max(knee.largest_deviation, std::abs(each.y - expected) / std::abs(expected));
  }
  const double rise = value_at(knee, points.back().x) - knee.level;
  if (rise < -least_rise * knee.level) return none("it falls");
  if (rise < least_rise * knee.level) {
    return none(fmt::format("all flat: from the first to the last value it changes by {}",
                            percent(rise / knee.level)));
  }
  if (rise <= least_rise_of_noise * largest) {
    return none(fmt::format(
        "the points scatter too much: they deviate by up to {} from a curve that rises by {}",
        percent(largest / knee.level), percent(rise / knee.level)));
  }
  const auto up_to_it = std::count_if(points.begin(), points.end(),
                                      [&](const KneePoint& each) { return each.x <= knee.at; });
  if (up_to_it < 2) return none("all rising: it begins with no two values at one level");
  if (points.size() - static_cast<std::size_t>(up_to_it) < 2) {
    return none(fmt::format("only the last value is higher: add values beyond {} to show the knee",
                            points.back().x));
  }
  return {knee, ""};
}

}  // namespace warpwise::lab
