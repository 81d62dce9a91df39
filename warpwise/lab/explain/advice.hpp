#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// What can be changed about a kernel. example_of() has an example of each.
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
/// For name_of() and value_named().
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

/// What to know about a kernel, most costly first: each a few sentences that follow from the
/// counts.
struct Advice {
  std::string text;
  std::string rule;  ///< "bank conflicts (docs/hardware-rules.md, Shared memory)"
  /// What to change; nothing where it says only how things are.
  std::optional<Remedy> remedy = {};
  /// How many times as fast the kernel would be without it, on the GPU of the explanation's
  /// prediction, filled: modelled. Nothing where that is not known.
  std::optional<double> gain = {};
};

/// At most three findings for the GPU of the explanation's prediction, those that would gain most
/// first; without one for the newest compute capability that was asked for. Where the counts show
/// nothing to mend, then that. Never empty.
std::vector<Advice> advice_for(const Explanation& explanation);

/// Which of ExplainRequest::compute_capabilities the advice is for.
std::size_t advised_capability(const Explanation& explanation);

/// A change that a ladder or a study of the project made, as its sources have it.
struct Example {
  std::string before;    ///< the lines of code that matter, without those between
  std::string after;     ///< likewise
  std::string shown_by;  ///< the command that shows all of it: "warpwise lab diff ..."
};

/// An example of what to change.
Example example_of(Remedy remedy);

/// The example, where changing it is worth it or nobody knows that it is not.
std::optional<Example> example_for(const Advice& advice);

}  // namespace warpwise::lab
