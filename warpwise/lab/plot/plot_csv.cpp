#include <fmt/format.h>

#include <cmath>

#include "warpwise/io/printable.hpp"
#include "warpwise/lab/plot/plot.hpp"

namespace warpwise::lab {
std::vector<std::vector<std::string>> cells_of(const Plot& plot) {
  const bool is_map = plot.kind == PlotKind::maps;
  const bool is_dots = plot.kind == PlotKind::dots;
  std::vector<std::vector<std::string>> cells = {{"panel", "series", plot.x.name}};
  std::vector<std::string>& head = cells.front();
  if (is_map) head.push_back(plot.y.name);
  for (const char* part : {"", "_p5", "_p95"}) head.push_back(plot.value.name + part);
  if (is_dots) head.emplace_back("at_document_speedup");
  const auto optional = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : "";
  };
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotSeries& series : panel.series) {
      for (const PlotPoint& point : series.points) {
        std::vector<std::string> line = {panel.title, series.name};
        line.push_back(is_dots           ? plot.x.texts[static_cast<std::size_t>(point.x)]
                       : series.is_level ? ""
                                         : fmt::format("{}", point.x));
        if (is_map) line.push_back(fmt::format("{}", point.y));
        line.push_back(fmt::format("{}", point.value));
        line.push_back(optional(point.low));
        line.push_back(optional(point.high));
        if (is_dots) line.push_back(optional(point.document));
        cells.push_back(std::move(line));
      }
    }
  }
  return cells;
}

std::string csv_of(const std::vector<std::vector<std::string>>& cells) {
  std::string text;
  for (const std::vector<std::string>& line : cells) {
    for (std::size_t i = 0; i < line.size(); ++i)
      text += (i > 0 ? "," : "") + io::csv_field(line[i]);
    text += "\n";
  }
  return text;
}

std::string csv_of(const Plot& plot) { return csv_of(cells_of(plot)); }

std::string figure_text(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double size = std::abs(value);
  constexpr std::pair<double, char> units[] = {{1e9, 'G'}, {1e6, 'M'}, {1e4, 'k'}};
  for (const auto& [unit, letter] : units) {
    if (size < unit) continue;
    return figure_text(letter == 'k' ? value / 1e3 : value / unit) + letter;
  }
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return size >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace warpwise::lab
