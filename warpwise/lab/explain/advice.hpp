#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// What to know about a kernel, most costly first: each a few sentences that follow from the
/// counts.
struct Advice {
  std::string text;
  std::string rule;  ///< "bank conflicts (docs/hardware-rules.md, Shared memory)"
  /// How many times as fast the kernel would be without it, on the GPU of the explanation's
  /// prediction, filled: modelled. Nothing where that is not known.
  std::optional<double> gain;
};

/// At most three, for the newest compute capability that was asked for: with a prediction those
/// that would gain most first. Never empty.
std::vector<Advice> advice_for(const Explanation& explanation);

}  // namespace warpwise::lab
