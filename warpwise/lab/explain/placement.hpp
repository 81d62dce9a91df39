#pragma once

#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// Where a kernel stands among document A's three kinds (row A11 of docs/sources.md):
/// 1 with many transactions, 2 with few, 3 with few and enough arithmetic to hide their latency.
struct Placement {
  int kind = 0;      ///< 0: it reaches no global memory, or nobody knows whether it is 2 or 3
  std::string text;  ///< the kind with its evidence, and what the document advises
};

/// For the compute capability that the advice is for.
Placement placement_of(const Explanation& explanation);

}  // namespace warpwise::lab
