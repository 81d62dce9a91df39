#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/growth.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::bench {
namespace {

lab::PlotSeries& series_of(lab::PlotPanel& panel, const std::string& name) {
  for (lab::PlotSeries& each : panel.series) {
    if (each.name == name) return each;
  }
  return panel.series.emplace_back(lab::PlotSeries{name, false, {}});
}

lab::PlotPanel& panel_of(lab::Plot& plot, const std::string& title) {
  for (lab::PlotPanel& each : plot.panels) {
    if (each.title == title) return each;
  }
  return plot.panels.emplace_back(lab::PlotPanel{title, {0, 0}, {}});
}

void add(const nlohmann::json& row, lab::Plot& plot) {
  if (row.contains("not_timed")) return;
  const double bytes = row.at("bytes");
  const auto rate = [&](const char* us) { return bytes / row.at(us).get<double>() / 1000; };
  const auto text = [&](const char* key) { return row.at(key).get<std::string>(); };
  lab::PlotPanel& panel = panel_of(plot, text("primitive"));
  series_of(panel, fmt::format("{}: {}", text("implementation"), text("variant")))
      .points.push_back({.x = bytes,
                         .y = 0,
                         .value = rate("median_us"),
                         .low = rate("p95_us"),
                         .high = rate("p5_us"),
                         .document = {}});
  panel.values[1] = std::max(panel.values[1], rate("p5_us"));
  plot.x.values.push_back(bytes);
}

// Primitives bound by arithmetic get no roof: at the scale of memory's roof, their lines would lie
// on the axis.
bool is_bound_by_memory(const lab::PlotPanel& panel) {
  return panel.title != "match" && panel.title != "disparity" && panel.title != "find";
}

void add_roof(const nlohmann::json& report, lab::PlotPanel& panel) {
  if (!is_bound_by_memory(panel)) return;
  const bool reads = panel.title == "gemv";
  const double roof = report.at(reads ? "read_roof_gb_per_s" : "roof_gb_per_s");
  panel.series.push_back(
      {reads ? "a kernel that only reads" : "the driver's copy of 1 GiB",
       true,
       {{.x = 0, .y = 0, .value = roof, .low = {}, .high = {}, .document = {}}}});
  panel.values[1] = std::max(panel.values[1], roof);
}

lab::Plot plot_of_rows(const nlohmann::json& report) {
  lab::Plot plot;
  plot.kind = lab::PlotKind::lines;
  plot.title = "How cost grows";
  plot.notes = {fmt::format(
      "{}: one call that finds nothing in L2, the way to its first instruction included",
      report.at("machine").at("gpu").get<std::string>())};
  plot.description = "Lines of GB/s over the bytes that a call moves, a panel for each primitive.";
  plot.x = {"bytes", "bytes read and written", true, {}, {}};
  plot.value = {"gb_per_s", "GB/s", false, {}, {}};
  plot.higher_is_better = true;
  for (const nlohmann::json& row : report.at("rows")) add(row, plot);
  std::sort(plot.x.values.begin(), plot.x.values.end());
  plot.x.values.erase(std::unique(plot.x.values.begin(), plot.x.values.end()), plot.x.values.end());
  for (lab::PlotPanel& panel : plot.panels) add_roof(report, panel);
  return plot;
}

}  // namespace

lab::Plot growth_plot(const nlohmann::json& report) {
  try {
    if (report.at("growth").get<bool>() && !report.at("rows").empty()) return plot_of_rows(report);
  } catch (const nlohmann::json::exception&) {
    // The exception thrown below reports it.
  }
  throw InvalidArgument("this is no record of warpwise bench --growth");
}

}  // namespace warpwise::bench
