// The kernels that disparity() itself launches for SAD with the check: a sweep, or tiles if the
// sweep's sums do not fit.
#include "warpwise/primitives/disparity/padded.cuh"
#include "warpwise/primitives/disparity/sweep.cuh"
#include "warpwise/primitives/disparity/tiles.cuh"

namespace warpwise::kernels::disparity {

template __global__ void disparity_sweep_kernel<Measure::sad, true, true, false, 32>(
    SweepArguments);
template __global__ void disparity_match_kernel<Measure::sad>(MatchArguments);
template __global__ void disparity_check_kernel<unsigned long long>(
    CheckArguments<unsigned long long>);
template __global__ void disparity_check_kernel<short>(CheckArguments<short>);

}  // namespace warpwise::kernels::disparity
