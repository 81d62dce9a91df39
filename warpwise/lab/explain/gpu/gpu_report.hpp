#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/lab/study/counters/rung_counters.hpp"

// A GPU's times and counters of a launch that the emulator counted.
namespace warpwise::lab {

struct GpuReport {
  std::string device;
  rules::ComputeCapability compute_capability;
  std::string why_not;  ///< why the GPU did not run the launch; nothing below is set then
  std::optional<Measurement> times;
  std::string why_no_times;
  std::string counters_library;
  std::string why_no_counters;                  ///< why no counters were read, and what to do
  std::map<std::string, std::string> left_out;  ///< metrics not read, each with the reason
  CounterValues metrics;
  std::vector<ComparedCount> compared;
  std::string not_comparable;  ///< why the metrics do not belong to the launch that was counted
};

/// Writes the GPU's part of a report for people.
std::string text_of(const GpuReport& report);

/// Writes the report for machines; warpwise/lab/README.md lists the keys.
nlohmann::ordered_json json_of(const GpuReport& report);

}  // namespace warpwise::lab
