#include <fmt/format.h>

#include <algorithm>

#include "warpwise/lab/plot/scale.hpp"
#include "warpwise/lab/report/charts/chart.hpp"
#include "warpwise/lab/report/words/words.hpp"

// Draws a cell for each point of two axes. Greater values have stronger colours.
namespace warpwise::lab::report {
namespace {

constexpr double cell_height = 18;

std::size_t index_of(const std::vector<double>& values, double value) {
  return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) -
                                  values.begin());
}

const PlotPoint& best_of(const Plot& plot, const PlotSeries& series) {
  return *std::min_element(series.points.begin(), series.points.end(),
                           [&](const PlotPoint& a, const PlotPoint& b) {
                             return plot.higher_is_better ? a.value > b.value : a.value < b.value;
                           });
}

bool is_alone(const PlotSeries& series, double value) {
  return std::count_if(series.points.begin(), series.points.end(),
                       [&](const PlotPoint& each) { return each.value == value; }) == 1;
}

class Map {
 public:
  Map(const Plot& plot, const PlotPanel& panel) : plot_(plot), panel_(panel) {
    rows_ = static_cast<double>(plot.y.values.size());
    columns_ = static_cast<double>(plot.x.values.size());
  }

  Html html() const {
    Html inner;
    const PlotSeries& series = panel_.series.front();
    for (const PlotPoint& each : series.points) inner += cell(each);
    Html best;
    const PlotPoint& least = best_of(plot_, series);
    if (is_alone(series, least.value)) {
      inner += rectangle("best", least, "", Html());
      best = element(
          "p", {{"class", "note"}},
          fmt::format(fmt::runtime(words().best_cell), figure_text(least.value), place_of(least)));
    }
    inner += numbers();
    const std::string scale =
        fmt::format(fmt::runtime(words().map_scale), plot_.value.title,
                    figure_text(panel_.values[0]), figure_text(panel_.values[1]));
    return element("p", {{"class", "axis up"}}, plot_.y.title) +
           picture("room-lines", rows_ * cell_height, plot_.description, inner) +
           element("p", {{"class", "axis"}}, plot_.x.title) + best +
           element("p", {{"class", "note"}}, scale);
  }

 private:
  std::string place_of(const PlotPoint& point) const {
    return fmt::format("{} {}, {} {}", plot_.x.title, figure_text(point.x), plot_.y.title,
                       figure_text(point.y));
  }

  Html rectangle(const char* kind, const PlotPoint& point, const std::string& opacity,
                 const Html& inner) const {
    const auto column = static_cast<double>(index_of(plot_.x.values, point.x));
    const auto row = static_cast<double>(index_of(plot_.y.values, point.y));
    return element("rect",
                   {{"class", kind},
                    {"x", across(column / columns_)},
                    {"y", pixels((rows_ - 1 - row) * cell_height)},
                    {"width", across(1 / columns_)},
                    {"height", pixels(cell_height)},
                    {"fill-opacity", opacity}},
                   inner);
  }

  Html cell(const PlotPoint& point) const {
    constexpr double palest = 0.08;
    const Scale scale{panel_.values[0], panel_.values[1], plot_.value.logarithmic};
    const double strength = palest + (1 - palest) * scale.fraction(point.value);
    return rectangle(
        "cell", point, fmt::format("{:.2f}", strength),
        element("title", fmt::format("{}: {}", place_of(point), figure_text(point.value))));
  }

  Html numbers() const {
    Html html;
    for (const std::size_t i : thinned(plot_.x.values.size(), 8)) {
      html += element("text",
                      {{"class", "t mid"},
                       {"x", across((static_cast<double>(i) + 0.5) / columns_)},
                       {"y", pixels(rows_ * cell_height + 15)}},
                      plot_.x.texts[i]);
    }
    for (std::size_t i = 0; i < plot_.y.values.size(); ++i) {
      const double y = (rows_ - 0.5 - static_cast<double>(i)) * cell_height;
      html += element("text", {{"class", "t end"}, {"x", "-6"}, {"y", pixels(y)}, {"dy", "4"}},
                      plot_.y.texts[i]);
    }
    return html;
  }

  const Plot& plot_;
  const PlotPanel& panel_;
  double rows_ = 0;
  double columns_ = 0;
};

}  // namespace

Html map_of(const Plot& plot, const PlotPanel& panel) { return Map(plot, panel).html(); }

}  // namespace warpwise::lab::report
