#pragma once

namespace warpwise::ladders {

/// Arguments of every rung: `count` ints to be copied from src to dst. Both are at multiples of 4
/// bytes and do not overlap.
struct CopyProblem {
  const int* src;
  int* dst;
  long long count;
};

}  // namespace warpwise::ladders
