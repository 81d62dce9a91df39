// The kernels that match() launches.
#include "warpwise/primitives/match/differences.cuh"
#include "warpwise/primitives/match/products.cuh"
#include "warpwise/primitives/match/rejection.cuh"

namespace warpwise::kernels::match {

template __global__ void match_kernel<static_cast<Measure>(MEASURE)>(MatchArguments);
#if MEASURE != 0
template __global__ void match_products_kernel<static_cast<Measure>(MEASURE)>(MatchArguments);
#endif

}  // namespace warpwise::kernels::match
