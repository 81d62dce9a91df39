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

// Verifies, then times cases beside their peers and the roofs, in one run.
namespace warpwise::bench {

inline constexpr std::string_view own_name = "warpwise";

/// What became of a case: times, or why there are none.
struct Row {
  Case work;
  std::optional<lab::Measurement> times;
  double roof_gb_per_s = 0;          ///< of what limits the case
  std::optional<Comparison> beside;  ///< of a peer: our time of the same work beside it
  bool is_wrong = false;
  std::string reason;  ///< why it was not timed

  bool is_ours() const { return work.implementation == own_name; }
  /// Ours without times, or a wrong result. A peer may be missing.
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
  std::vector<std::string> tuned;  ///< what was in effect of the user's tuning file
  Roofs roofs;
  std::vector<Row> rows;
};

/// Of the cases those whose primitive is one of `primitives` (empty: all) and whose
/// "PRIMITIVE VARIANT IMPLEMENTATION" holds one of `filters` (empty: all).
std::vector<Case> selected_cases(std::vector<Case> cases,
                                 const std::vector<std::string>& primitives,
                                 const std::vector<std::string>& filters);

/// The primitives that have cases, each once.
std::vector<std::string> primitives_with_cases();

// A bench has many cases: half of what the laboratory takes for a rung. Of hundreds, a tenth.
inline constexpr lab::TimingOptions options_of_a_case{
    .cold_seconds = 0.2, .wall_seconds = 0.4, .batch_seconds = 0.1};
inline constexpr lab::TimingOptions options_of_one_in_hundreds{
    .cold_seconds = 0.04, .wall_seconds = 0.08, .batch_seconds = 0};

/// Runs cases on the current GPU, in their order; `show` gets the roofs first, then each row.
/// \throws CudaError  there is no GPU
Run run_cases(const std::vector<Case>& cases, const lab::TimingOptions& options,
              const std::function<void(const Roofs&)>& show_roofs,
              const std::function<void(const Row&)>& show);

/// The run as results/ keeps it: of each time up to 200 samples with the clock at each.
nlohmann::json json_of(const Run& run);

/// The text of such a report, a row a line.
std::string text_of(const nlohmann::json& report);

/// Writes `report` to a file (`path` empty: to none), calls `add`, which may take long and add to
/// it, and writes it again: what ends `add`, a signal too, loses what it would have added and no
/// more. To "-", a pipe or a device once, at the end.
/// \throws IoError  nothing can be written there
void keep_before_and_after(const std::string& path, const nlohmann::json& report,
                           const std::function<void()>& add);

/// A row for people, one line without its end.
std::string line_of(const Row& row);

}  // namespace warpwise::bench
