// The kernel that match() launches, itself.
#include "warpwise/primitives/match/kernel.cuh"

template __global__ void warpwise::kernels::match_kernel<static_cast<warpwise::Measure>(MEASURE)>(
    warpwise::kernels::MatchArguments);
