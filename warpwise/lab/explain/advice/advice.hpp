#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/explain/kernel/access_pattern.hpp"

namespace warpwise::lab {

/// Changes to a kernel that advice can suggest.
enum class Remedy {
  coalescing,
  bank_conflicts,
  constant_memory,
  divergence,
  occupancy,
  local_memory,
  whole_warps,
  wide_accesses,
  fewer_instructions,
  more_in_flight,
  reuse,
  fewer_bytes
};
/// Returns the values' names for name_of() and value_named().
constexpr auto enum_names(Remedy) {
  return std::to_array<EnumName<Remedy>>({{Remedy::coalescing, "coalescing"},
                                          {Remedy::bank_conflicts, "bank conflicts"},
                                          {Remedy::constant_memory, "constant memory"},
                                          {Remedy::divergence, "divergence"},
                                          {Remedy::occupancy, "occupancy"},
                                          {Remedy::local_memory, "local memory"},
                                          {Remedy::whole_warps, "whole warps"},
                                          {Remedy::wide_accesses, "wide accesses"},
                                          {Remedy::fewer_instructions, "fewer instructions"},
                                          {Remedy::more_in_flight, "more in flight"},
                                          {Remedy::reuse, "reuse"},
                                          {Remedy::fewer_bytes, "fewer bytes"}});
}

/// One piece of advice about a kernel: a few sentences that follow from the counts.
struct Advice {
  std::string text;
  std::string rule;  ///< "bank conflicts (docs/hardware-rules.md, Shared memory)"
  /// Suggested change; nothing if the text only describes the kernel.
  std::optional<Remedy> remedy = {};
  /// Modelled speed-up of the kernel without this problem, on the GPU of the prediction. The model
  /// assumes a grid that fills the GPU. Nothing if the speed-up is not known.
  std::optional<double> gain = {};
  /// False: the remedy's example does not fit this text, and example_for() returns nothing.
  /// advice.cpp also recognises two kinds of findings by it: says_that_segments_are_not_used(),
  /// drop_general().
  bool example_fits = true;
  /// Reason why addresses scatter, if known. The reason's example replaces the remedy's example.
  std::optional<AccessPattern> pattern = {};
  Range gain_range = {};  ///< range of `gain`; not used without a gain
};

/// Returns notes on the launch, and after them at most three findings, the largest gain first.
/// Findings on bank conflicts, scattered addresses, double precision and many divisions follow even
/// if they are not among the three. All findings are for the GPU of the explanation's prediction
/// or, without a prediction, for the newest compute capability that was asked for. If the counts
/// show nothing to mend, the advice says so. Returns nothing if the launch had faults, and if there
/// is nothing to mend and the kernel only accesses memory in ways whose cost has no minimum.
std::vector<Advice> advice_for(const Explanation& explanation);

/// Returns the index in ExplainRequest::compute_capabilities that the advice is for.
std::size_t advised_capability(const Explanation& explanation);

/// An example of a change, in lines of the project's own kernels.
struct Example {
  std::string before;    ///< changed lines as they were; the lines between them are left out
  std::string after;     ///< the same lines after the change
  std::string shown_by;  ///< command or file that shows the whole change: "warpwise lab diff ..."
};

/// Returns an example of the change; nothing if the project's sources do not show it in few lines.
std::optional<Example> example_of(Remedy remedy);

/// Returns an example for a reason why addresses scatter; nothing if no source has one.
std::optional<Example> example_of(AccessPattern pattern);

/// Returns the example to show with a piece of advice. Returns nothing if there is no example, or
/// if the gain is below worth_a_change.
std::optional<Example> example_for(const Advice& advice);

}  // namespace warpwise::lab
