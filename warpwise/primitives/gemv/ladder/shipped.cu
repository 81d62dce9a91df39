// The kernels that gemv() launches for a matrix of floats at multiples of 4 bytes, themselves.
#include "warpwise/primitives/gemv/kernel.cuh"

namespace warpwise::kernels {

template __global__ void gemv_rows<GemvF32, GemvAccess::four, 8>(GemvArguments, int, int);
template __global__ void gemv_rows<GemvF32, GemvAccess::four, 2>(GemvArguments, int, int);
template __global__ void gemv_rows<GemvF32, GemvAccess::element, 8>(GemvArguments, int, int);
template __global__ void gemv_rows<GemvF32, GemvAccess::element, 2>(GemvArguments, int, int);

}  // namespace warpwise::kernels
