#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpwise/lab/study/study_report.hpp"

namespace warpwise::lab {
namespace {

std::string size_text(const Size& size) { return fmt::format("{}x{}", size.width, size.height); }

// Counts are whole, means are not.
std::string number(double value) {
  const bool whole = value == std::floor(value) && value < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string ratio_text(const ComparedCount& count) {
  return count.counted == 0 ? "-" : fmt::format("{:.3f}", count.measured / count.counted);
}

std::string compared_text(const RungRow& row, const RungCounts& counts, std::size_t width) {
  const auto compared = compared_counts(counts, *row.compared_counters);
  if (compared.empty()) return {};
  constexpr std::size_t title_width = 30;
  std::string text = fmt::format("    {:<{}}{:>14}{:>14}{:>8}\n",
                                 fmt::format("at {}, CC {}", size_text(counts.size),
                                             rules::to_string(counts.compute_capability)),
                                 title_width, "emulator", "GPU", "ratio");
  for (const ComparedCount& each : compared) {
    std::string line = fmt::format("      {:<{}}{:>14}{:>14}{:>8}", each.name, title_width - 2,
                                   number(each.counted), number(each.measured), ratio_text(each));
    // The counter's name where there is room for it.
    if (width == 0 || line.size() + 2 + each.metric.size() <= width) {
      line += fmt::format("  {}", each.metric);
    }
    text += line + "\n";
  }
  if (!row.not_comparable.empty()) {
    text += fmt::format("      not the same launches: {}\n", row.not_comparable);
  }
  return text;
}

std::string percent_of(const LaunchCounters& launch, std::string_view metric,
                       std::string_view what) {
  const auto found = launch.values.find(metric);
  if (found == launch.values.end() || std::isnan(found->second)) return {};
  return fmt::format(", {} {:.0f} %", what, found->second);
}

// What most of a warp's time goes to, in cycles for each of its instructions.
std::string stalls_of(const LaunchCounters& launch) {
  constexpr double least = 0.1;
  constexpr std::size_t most = 5;
  std::vector<std::pair<double, std::string>> reasons;
  for (const std::string_view metric : stall_names()) {
    const auto found = launch.values.find(metric);
    if (found == launch.values.end() || !(found->second >= least)) continue;
    reasons.emplace_back(found->second, stall_reason(metric));
  }
  std::sort(reasons.rbegin(), reasons.rend());
  if (reasons.size() > most) reasons.resize(most);
  std::string text;
  for (const auto& [cycles, reason] : reasons) {
    text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", reason, cycles);
  }
  return text;
}

std::string measured_text(const LaunchCounters& launch, const Size& size) {
  std::string figures =
      percent_of(launch, "sm__warps_active.avg.pct_of_peak_sustained_active",
                 "achieved occupancy") +
      percent_of(launch, "l1tex__t_sector_hit_rate.pct", "L1 hits") +
      percent_of(launch, "lts__t_sector_hit_rate.pct", "L2 hits") +
      percent_of(launch, "lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 throughput") +
      percent_of(launch, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM throughput");
  std::string text;
  if (!figures.empty()) {
    text = fmt::format("    {} at {}: {}\n", launch.kernel, size_text(size), figures.substr(2));
  }
  const std::string stalls = stalls_of(launch);
  if (!stalls.empty())
    text += fmt::format("      cycles that a warp waits for each instruction: {}\n", stalls);
  return text;
}

}  // namespace

std::string counters_of(const RungRow& row, std::size_t width) {
  std::string text;
  if (row.compared_counters) {
    for (const RungCounts& each : row.counts) text += compared_text(row, each, width);
  }
  if (row.counters) {
    for (const LaunchCounters& each : row.counters->launches) {
      text += measured_text(each, row.counters->size);
    }
  }
  return text;
}

std::string counters_notice(const StudyRun& run) {
  if (!run.counters_unavailable.empty()) {
    return fmt::format("no counters, the emulator's counts stand alone: {}\n",
                       run.counters_unavailable);
  }
  std::string text;
  for (const auto& [metric, reason] : run.counters_left_out) {
    text += fmt::format("left out: {}: {}\n", metric, reason);
  }
  return text;
}

}  // namespace warpwise::lab
