#include <fmt/format.h>

#include <cmath>

#include "warpwise/lab/plot/plot.hpp"

namespace warpwise::lab {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

}  // namespace

std::string csv_of(const Plot& plot) {
  const bool is_map = plot.kind == PlotKind::maps;
  const bool is_dots = plot.kind == PlotKind::dots;
  std::string text =
      "panel,series," + csv_field(plot.x.name) + (is_map ? "," + csv_field(plot.y.name) : "");
  text += fmt::format(",{0},{0}_p5,{0}_p95{1}\n", csv_field(plot.value.name),
                      is_dots ? ",at_document_speedup" : "");
  const auto optional = [](const std::optional<double>& value) {
    return value ? fmt::format(",{}", *value) : ",";
  };
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotSeries& series : panel.series) {
      for (const PlotPoint& point : series.points) {
        text += csv_field(panel.title) + "," + csv_field(series.name) + ",";
        text += is_dots           ? csv_field(plot.x.texts[static_cast<std::size_t>(point.x)])
                : series.is_level ? ""
                                  : fmt::format("{}", point.x);
        if (is_map) text += fmt::format(",{}", point.y);
        text += fmt::format(",{}", point.value) + optional(point.low) + optional(point.high);
        if (is_dots) text += optional(point.document);
        text += "\n";
      }
    }
  }
  return text;
}

std::string figure_text(double value) {
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
