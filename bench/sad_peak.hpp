#pragma once

namespace warpwise::bench {

/// Measures the peak rate at which a number of threads sums |a − b| of 8-bit pixels, in pixels a
/// second. The loop has only the instruction that sums absolute differences (psadbw on x86) and the
/// addition of its result. It uses the widest vectors of this CPU, and keeps everything in
/// registers.
double absolute_differences_per_second(int threads);

}  // namespace warpwise::bench
