#include <fmt/format.h>

#include <algorithm>

#include "warpwise/lab/report/charts/chart.hpp"
#include "warpwise/lab/report/words/words.hpp"

// Draws a row for each kernel. The kernel's name and figure stand above the line of its dots.
namespace warpwise::lab::report {
namespace {

constexpr double name_height = 17;
constexpr double series_height = 11;

std::vector<std::string> names_of(const PlotPanel& panel) {
  std::vector<std::string> names;
  for (const PlotSeries& each : panel.series) names.push_back(each.name);
  return names;
}

Html dot(const Plot& plot, const Scale& scale, const PlotPoint& point, double y,
         std::size_t series) {
  const std::string& name = plot.x.texts[static_cast<std::size_t>(point.x)];
  Html html;
  if (point.low && point.high) {
    html += lone("line", {{"class", fmt::format("w s{}", series % 6)},
                          {"x1", across(scale.fraction(*point.low))},
                          {"x2", across(scale.fraction(*point.high))},
                          {"y1", pixels(y)},
                          {"y2", pixels(y)}});
  }
  if (point.document) {
    html +=
        ring(scale.fraction(*point.document), y, fmt::format("{}: {}", name, words().document_dot));
  }
  return html + mark(scale.fraction(point.value), y, series,
                     fmt::format("{}: {}", name, figure_text(point.value)));
}

}  // namespace

Html dots_of(const Plot& plot, const PlotPanel& panel) {
  const double row = name_height + series_height * static_cast<double>(panel.series.size()) + 4;
  const double height = row * static_cast<double>(plot.x.texts.size());
  const Scale scale = scale_for(panel.values[0], panel.values[1], plot.value.logarithmic);
  Html inner = vertical_grid_lines(scale, height, "");
  for (std::size_t i = 0; i < plot.x.texts.size(); ++i) {
    const std::string y = pixels(row * static_cast<double>(i) + name_height - 5);
    inner += element("text", {{"class", "name"}, {"x", "0"}, {"y", y}}, plot.x.texts[i]);
    inner += element("text", {{"class", "t end"}, {"x", "100%"}, {"y", y}}, plot.row_texts[i]);
  }
  for (std::size_t series = 0; series < panel.series.size(); ++series) {
    for (const PlotPoint& point : panel.series[series].points) {
      const double y =
          row * point.x + name_height + series_height * (static_cast<double>(series) + 0.5);
      inner += dot(plot, scale, point, y, series);
    }
  }
  Html html = picture("room-dots", height, plot.description, inner);
  html += element("p", {{"class", "axis"}}, plot.value.title);
  // The title of the axis already names a single series.
  const bool has_names = panel.series.size() > 1;
  if (has_names || plot.has_document) {
    html += legend(has_names ? names_of(panel) : std::vector<std::string>(), plot.has_document);
  }
  return html;
}

}  // namespace warpwise::lab::report
