#pragma once

namespace warpwise::ladders {

/// What every rung takes: `count` ints, to be copied from src to dst, which lie at multiples of 4
/// bytes and do not overlap.
struct CopyProblem {
  const int* src;
  int* dst;
  long long count;
};

}  // namespace warpwise::ladders
