#include "warpwise/lab/explain/gpu/gpu_report.hpp"

#include <fmt/format.h>

#include "warpwise/lab/study/counters/counters_text.hpp"
#include "warpwise/lab/study/show/study_report.hpp"

namespace warpwise::lab {
namespace {

using nlohmann::ordered_json;

std::string times_text(const GpuReport& report) {
  if (!report.times) {
    return report.why_no_times.empty() ? ""
                                       : fmt::format("    no times: {}\n", report.why_no_times);
  }
  return fmt::format("    {:.2f} us with a cold L2, {:.2f} us in a batch on the same operands\n",
                     report.times->cold.median_us, report.times->batch.median_us);
}

std::string metric_line(const std::string& name, const std::string& value,
                        std::string_view metric) {
  return fmt::format("      {:<28}{:>14}  {}\n", name, value, metric);
}

std::string rates_text(const CounterValues& metrics) {
  std::string text;
  for (const Rate& each : shown_rates()) {
    const std::optional<double> value = value_of(metrics, each.metric);
    if (!value) continue;
    text += metric_line(std::string(each.name), fmt::format("{:.1f} %", *value), each.metric);
  }
  return text;
}

std::string stalls_text(const CounterValues& metrics) {
  std::string text;
  for (const Stall& each : longest_stalls(metrics)) {
    text += metric_line(stall_reason(each.metric), fmt::format("{:.1f}", each.cycles), each.metric);
  }
  return text.empty() ? "" : "    cycles that a warp waits per instruction\n" + text;
}

ordered_json counters_json(const GpuReport& report) {
  if (!report.why_no_counters.empty()) return {{"unavailable", report.why_no_counters}};
  return {{"library", report.counters_library}, {"left_out", report.left_out}};
}

}  // namespace

std::string text_of(const GpuReport& report) {
  if (!report.why_not.empty()) {
    return fmt::format("Not run on a GPU; these are only the emulator's counts: {}\n",
                       report.why_not);
  }
  std::string text =
      fmt::format("On {}, CC {}:\n", report.device, rules::to_string(report.compute_capability));
  text += times_text(report);
  text += compared_text(report.compared, "hardware counters", 0);
  if (!report.not_comparable.empty()) {
    text += fmt::format("      not the same launch: {}\n", report.not_comparable);
  }
  const std::string rates = rates_text(report.metrics);
  if (!rates.empty()) text += "    rates\n" + rates;
  text += stalls_text(report.metrics);
  if (!report.why_no_counters.empty()) {
    text +=
        fmt::format("    no counters, only the emulator's counts: {}\n", report.why_no_counters);
  }
  for (const auto& [metric, reason] : report.left_out) {
    text += fmt::format("    left out: {}: {}\n", metric, reason);
  }
  return text;
}

ordered_json json_of(const GpuReport& report) {
  if (!report.why_not.empty()) return {{"unavailable", report.why_not}};
  ordered_json object = {{"device", report.device},
                         {"compute_capability", rules::to_string(report.compute_capability)}};
  if (report.times) {
    object["cold"] = json_of(report.times->cold);
    object["batch"] = json_of(report.times->batch);
    object["sm_clock_mhz"] = report.times->sm_clock_mhz;
  } else if (!report.why_no_times.empty()) {
    object["no_times"] = report.why_no_times;
  }
  object["counters"] = counters_json(report);
  if (report.metrics.empty()) return object;
  object["metrics"] = report.metrics;
  object["compared"] = ordered_json::array();
  for (const ComparedCount& each : report.compared) object["compared"].push_back(json_of(each));
  if (!report.not_comparable.empty()) object["not_comparable"] = report.not_comparable;
  return object;
}

}  // namespace warpwise::lab
