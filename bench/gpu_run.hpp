#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/gpu_harness.hpp"
#include "bench/verdict.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"

// Verifies cases, then times them beside their peers and the roofs, in one run.
namespace warpwise::bench {

inline constexpr std::string_view own_name = "warpwise";

/// Result of a case: times, or the reason why there are none.
struct Row {
  Case work;
  std::optional<lab::Measurement> times;
  double roof_gb_per_s = 0;          ///< the GPU's rate of copying or of reading
  std::optional<Comparison> beside;  ///< for a peer: our time of the same work compared with it
  bool is_wrong = false;
  std::string reason;  ///< why the case was not timed

  bool is_ours() const { return work.implementation == own_name; }
  /// Returns true if our own case has no times, or if a result is wrong. A peer may be missing.
  bool failed() const { return (is_ours() || is_wrong) && !times; }
  double gb_per_s() const;
  double share_of_roof() const { return gb_per_s() / roof_gb_per_s; }
};

struct Roofs {
  double copy_gb_per_s = 0;
  double read_gb_per_s = 0;
};

struct Run {
  gpu::DeviceInfo device;
  Roofs roofs;
  std::vector<Row> rows;
};

/// Returns the cases whose primitive is one of `primitives` (empty: all) and whose "PRIMITIVE
/// VARIANT IMPLEMENTATION" contains one of `filters` (empty: all).
std::vector<Case> selected_cases(std::vector<Case> cases,
                                 const std::vector<std::string>& primitives,
                                 const std::vector<std::string>& filters);

/// Returns the primitives that have cases, each once.
std::vector<std::string> primitives_with_cases();

// A bench has many cases, so it measures each case for half as long as the laboratory measures an
// optimisation step. With hundreds of cases, it measures each for a tenth as long.
inline constexpr lab::TimingOptions options_of_a_case{
    .cold_seconds = 0.2, .wall_seconds = 0.4, .batch_seconds = 0.1};
inline constexpr lab::TimingOptions options_of_one_in_hundreds{
    .cold_seconds = 0.04, .wall_seconds = 0.08, .batch_seconds = 0};

/// Runs cases on the current GPU, in their order. Calls show_roofs() once, then show() for each
/// row.
/// \throws NoCudaDevice, CudaError
Run run_cases(const std::vector<Case>& cases, const lab::TimingOptions& options,
              const std::function<void(const Roofs&)>& show_roofs,
              const std::function<void(const Row&)>& show);

/// Returns the run in the format of results/: up to 200 samples for each time, with the GPU's clock
/// at each sample.
nlohmann::json json_of(const Run& run);

/// Returns the text of a report by json_of(), one row a line.
std::string text_of(const nlohmann::json& report);

/// Writes `report` to a file, calls `add`, and writes the report again. `add` may take long and
/// extend the report. If it is ended, even by a signal, only its additions are lost. An empty
/// `path` means no file. A pipe, a device or "-" is written once, at the end.
/// \throws IoError  nothing can be written to `path`
void keep_before_and_after(const std::string& path, const nlohmann::json& report,
                           const std::function<void()>& add);

/// Returns a row for people: one line without its end.
std::string line_of(const Row& row);

}  // namespace warpwise::bench
