#pragma once

#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// The kind of a kernel, one of the three in the guide of a source document (row A11 of
/// docs/sources.md):
/// - 1: many transactions
/// - 2: few transactions
/// - 3: few transactions, and enough arithmetic to hide their latency
struct Placement {
  int kind = 0;      ///< 0: no access to global memory, or not known
  std::string text;  ///< the kind with its evidence, and the bottleneck if known
};

/// Returns the kernel's kind on the compute capability that advised_capability() chooses.
Placement placement_of(const Explanation& explanation);

}  // namespace warpwise::lab
