// The kernel that match() launches, itself.
#include "warpwise/primitives/match/kernel.cuh"

namespace warpwise::kernels::match {

template __global__ void match_kernel<static_cast<Measure>(MEASURE)>(MatchArguments);

}  // namespace warpwise::kernels::match
