#include <fmt/format.h>

#include <algorithm>

#include "warpwise/lab/report/charts/chart.hpp"

// Draws curves over one axis.
namespace warpwise::lab::report {
namespace {

constexpr double lines_height = 190;

struct Place {
  double x = 0;  ///< share of the width
  double y = 0;  ///< in pixels
};

Html line(const Place& from, const Place& to, std::size_t series) {
  return lone("line", {{"class", fmt::format("l s{}", series % 6)},
                       {"x1", across(from.x)},
                       {"x2", across(to.x)},
                       {"y1", pixels(from.y)},
                       {"y2", pixels(to.y)}});
}

Html curve(const Plot& plot, const PlotSeries& series, std::size_t index, const Scale& x,
           const Scale& y) {
  const auto up = [&](double value) { return lines_height * (1 - y.fraction(value)); };
  Html lines;
  Html marks;
  std::optional<Place> before;
  for (const PlotPoint& point : series.points) {
    if (series.is_level) {
      lines += line({0, up(point.value)}, {1, up(point.value)}, index);
      marks += mark(1, up(point.value), index,
                    fmt::format("{}: {}", series.name, figure_text(point.value)));
      continue;
    }
    const Place here{x.fraction(point.x), up(point.value)};
    if (before) lines += line(*before, here, index);
    if (point.low && point.high) {
      lines += lone("line", {{"class", fmt::format("w s{}", index % 6)},
                             {"x1", across(here.x)},
                             {"x2", across(here.x)},
                             {"y1", pixels(up(*point.low))},
                             {"y2", pixels(up(*point.high))}});
    }
    marks += mark(here.x, here.y, index,
                  fmt::format("{}, {} {}: {}", series.name, plot.x.title, figure_text(point.x),
                              figure_text(point.value)));
    before = here;
  }
  return lines + marks;
}

}  // namespace

Html lines_of(const Plot& plot, const PlotPanel& panel) {
  const std::vector<double>& values = plot.x.values;
  Scale x{values.front(), values.back(), plot.x.logarithmic};
  if (x.least == x.greatest) x.greatest = x.least + 1;
  const Scale y = scale_for(panel.values[0], panel.values[1], plot.value.logarithmic);
  Html inner = vertical_grid_lines(x, lines_height, "") + horizontal_grid_lines(y, lines_height);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    inner += curve(plot, panel.series[i], i, x, y);
    names.push_back(panel.series[i].name);
  }
  return element("p", {{"class", "axis up"}}, plot.value.title) +
         picture("room-lines", lines_height, plot.description, inner) +
         element("p", {{"class", "axis"}}, plot.x.title) +
         (names.size() > 1 ? legend(names, false) : Html());
}

}  // namespace warpwise::lab::report
