#pragma once

namespace warpwise::bench {

/// The most |a − b| of 8-bit pixels that so many threads sum in a second: a loop of nothing but the
/// instruction that sums absolute differences (psadbw on x86) and the addition that each one needs,
/// in the widest vectors here, everything in registers.
double absolute_differences_per_second(int threads);

}  // namespace warpwise::bench
