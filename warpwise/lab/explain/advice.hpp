#pragma once

#include <string>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// What to know about a kernel, most costly first: each a few sentences that follow from the
/// counts.
struct Advice {
  std::string text;
  std::string rule;  ///< "bank conflicts (docs/hardware-rules.md, Shared memory)"
};

/// At most three, for the newest compute capability that was asked for. Never empty.
std::vector<Advice> advice_for(const Explanation& explanation);

}  // namespace warpwise::lab
