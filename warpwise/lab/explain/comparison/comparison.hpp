#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"

// Compares two kernels that compute the same.
namespace warpwise::lab {

/// A kernel of a file, or a rung (an optimisation step of a ladder) with all of its launches.
struct ExplainedKernel {
  std::string name;
  std::vector<Explanation> launches;
};

/// A figure that is counted or predicted for both kernels.
struct ComparedFigure {
  std::string what;
  double before = 0;
  double after = 0;

  double speedup() const { return after > 0 ? before / after : 0; }
};

/// A source line and its count in each kernel. Comparison::decides names the count.
struct ComparedLine {
  std::string before;  ///< "line 9 of a.cu"; empty if the first kernel does not have the line
  std::string after;   ///< the second kernel's line; empty if that kernel does not have the line
  std::string source;
  std::uint64_t count_before = 0;
  std::uint64_t count_after = 0;
};

/// Times of both kernels on a GPU: as they were launched, and for a problem that fills the GPU.
struct ComparedTimes {
  DeviceProfile profile;
  ComparedFigure launched;
  Range launched_gain;  ///< how many times as fast the second kernel is
  double larger = 1;    ///< factor by which the problem must grow so that both kernels fill the GPU
  Range gain;           ///< like launched_gain, for the problem that is `larger` times as large
  ComparedFigure time;  ///< time in us for the larger problem; the fields below are for it too
  std::vector<ComparedFigure> parts;  ///< parts of the time, in the order of parts_of()
  std::string rules_before;           ///< name of the longest part
  std::string rules_after;
  std::size_t changed = 0;  ///< index of the part whose time differs the most
};

/// Times of both kernels on the machine's own GPU, with a cold L2. Launches of a rung are summed.
struct MeasuredTimes {
  std::string why_not;  ///< why a kernel has no time; nothing below is set then
  std::string device;
  ComparedFigure cold_us;
};

struct Comparison {
  std::string before;
  std::string after;
  std::vector<std::string>
      notes;  ///< on different results, and on counts that do not cover one whole launch
  rules::ComputeCapability compute_capability;  ///< compute capability of the advice
  std::vector<ComparedFigure> counts;
  std::optional<ComparedTimes> times;     ///< set if both kernels are predicted
  std::optional<MeasuredTimes> measured;  ///< set if a GPU was asked for
  std::string decides;                    ///< name of the count by which lines are compared
  std::vector<ComparedLine> lines;        ///< lines with different counts, the largest first
};

/// Compares two kernels. \throws InvalidArgument  both kernels get the same arguments, but their
/// parameters differ in size
Comparison compare(const ExplainedKernel& before, const ExplainedKernel& after);

/// Writes the comparison for people. The first lines say what made the difference.
std::string text_of(const Comparison& comparison);

/// Writes the comparison for machines; warpwise/lab/README.md lists the keys.
nlohmann::ordered_json json_of(const Comparison& comparison);

}  // namespace warpwise::lab
