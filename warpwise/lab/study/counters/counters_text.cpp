#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "warpwise/lab/study/counters/counters_text.hpp"
#include "warpwise/lab/study/show/study_report.hpp"

namespace warpwise::lab {
namespace {

std::string size_text(const Size& size) { return fmt::format("{}x{}", size.width, size.height); }

// Formats a count as a whole number, and a mean with two digits after the point.
std::string counter_text(double value) {
  const bool whole = value == std::floor(value) && value < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string ratio_text(const ComparedCount& count) {
  return count.counted == 0 ? "-" : fmt::format("{:.3f}", count.measured / count.counted);
}

std::string percent_of(const LaunchCounters& launch, const Rate& rate) {
  const std::optional<double> value = value_of(launch.values, rate.metric);
  return value ? fmt::format(", {} {:.0f} %", rate.name, *value) : "";
}

std::string stalls_text(const LaunchCounters& launch) {
  std::string text;
  for (const Stall& each : longest_stalls(launch.values)) {
    text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", stall_reason(each.metric),
                        each.cycles);
  }
  return text;
}

std::string compared_of(const RungRow& row, const RungCounts& counts, std::size_t width) {
  const std::string title = fmt::format("at {}, CC {}", size_text(counts.size),
                                        rules::to_string(counts.compute_capability));
  std::string text = compared_text(compared_counts(counts, *row.compared_counters), title, width);
  if (!text.empty() && !row.not_comparable.empty()) {
    text += fmt::format("      not the same launches: {}\n", row.not_comparable);
  }
  return text;
}

std::string measured_text(const LaunchCounters& launch, const Size& size) {
  std::string figures;
  for (const Rate& each : shown_rates()) figures += percent_of(launch, each);
  std::string text;
  if (!figures.empty()) {
    text = fmt::format("    {} at {}: {}\n", launch.kernel, size_text(size), figures.substr(2));
  }
  const std::string stalls = stalls_text(launch);
  if (!stalls.empty())
    text += fmt::format("      cycles that a warp waits per instruction: {}\n", stalls);
  return text;
}

}  // namespace

std::span<const Rate> shown_rates() {
  static constexpr Rate rates[] = {
      {"sm__warps_active.avg.pct_of_peak_sustained_active", "achieved occupancy"},
      {"l1tex__t_sector_hit_rate.pct", "L1 hits"},
      {"lts__t_sector_hit_rate.pct", "L2 hits"},
      {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 throughput"},
      {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM throughput"}};
  return rates;
}

std::vector<Stall> longest_stalls(const CounterValues& values) {
  constexpr double least = 0.1;
  constexpr std::size_t most = 5;
  std::vector<Stall> stalls;
  for (const std::string_view metric : stall_names()) {
    const double cycles = value_of(values, metric).value_or(0);
    if (cycles >= least) stalls.push_back({cycles, metric});
  }
  std::sort(stalls.begin(), stalls.end(),
            [](const Stall& a, const Stall& b) { return a.cycles > b.cycles; });
  if (stalls.size() > most) stalls.resize(most);
  return stalls;
}

std::string compared_text(std::span<const ComparedCount> compared, const std::string& title,
                          std::size_t width) {
  if (compared.empty()) return {};
  constexpr std::size_t title_width = 30;
  std::string text =
      fmt::format("    {:<{}}{:>14}{:>14}{:>8}\n", title, title_width, "emulator", "GPU", "ratio");
  for (const ComparedCount& each : compared) {
    std::string line =
        fmt::format("      {:<{}}{:>14}{:>14}{:>8}", each.name, title_width - 2,
                    counter_text(each.counted), counter_text(each.measured), ratio_text(each));
    // The counter's name is shown if there is room for it.
    if (width == 0 || line.size() + 2 + each.metric.size() <= width) {
      line += fmt::format("  {}", each.metric);
    }
    text += line + "\n";
  }
  return text;
}

std::string counters_of(const RungRow& row, std::size_t width) {
  std::string text;
  if (row.compared_counters) {
    for (const RungCounts& each : row.counts) text += compared_of(row, each, width);
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
    return fmt::format("no counters, only the emulator's counts: {}\n", run.counters_unavailable);
  }
  std::string text;
  for (const auto& [metric, reason] : run.counters_left_out) {
    text += fmt::format("left out: {}: {}\n", metric, reason);
  }
  return text;
}

}  // namespace warpwise::lab
