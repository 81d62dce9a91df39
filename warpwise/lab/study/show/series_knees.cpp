#include "warpwise/lab/study/show/series_knees.hpp"

#include <algorithm>

namespace warpwise::lab {
namespace {

bool same(const emulator::Dim3& a, const emulator::Dim3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

ladders::Variables without(ladders::Variables values, const std::string& axis) {
  values.erase(axis);
  return values;
}

// Returns the axis's value in a row, or nothing if the kernel has no such constant or parameter.
std::optional<std::int64_t> axis_value(const RungRow& row, const std::string& axis) {
  for (const auto& values : {row.axis_constants, row.parameters}) {
    const auto found = values.find(axis);
    if (found != values.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace

bool is_of_series(const RungRow& row, const SeriesKnee& series, const std::string& axis) {
  return row.rung == series.rung && row.size == series.size && same(row.block, series.block) &&
         without(row.parameters, axis) == series.parameters &&
         without(row.axis_constants, axis) == series.axis_constants &&
         row.setting == series.setting;
}

std::vector<SeriesKnee> find_knees(const KneeQuestion& question, const std::vector<RungRow>& rows) {
  std::vector<SeriesKnee> all;
  std::vector<std::vector<KneePoint>> points;  // one element for each curve
  for (const RungRow& row : rows) {
    const std::optional<double> time = figure_of(row, 0, question.of);
    const std::optional<std::int64_t> x = axis_value(row, question.axis);
    if (row.on_cpu || !time || !x) continue;
    auto found = std::find_if(all.begin(), all.end(), [&](const SeriesKnee& each) {
      return is_of_series(row, each, question.axis);
    });
    if (found == all.end()) {
      found = all.insert(all.end(), {row.rung,
                                     row.size,
                                     row.block,
                                     without(row.parameters, question.axis),
                                     without(row.axis_constants, question.axis),
                                     row.setting,
                                     {}});
      points.emplace_back();
    }
    points[static_cast<std::size_t>(found - all.begin())].push_back(
        {static_cast<double>(*x), *time});
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].search = find_knee(points[i]);
  return all;
}

}  // namespace warpwise::lab
