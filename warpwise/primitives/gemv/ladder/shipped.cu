// The kernels that gemv() launches for a matrix of floats that is aligned to 4 bytes.
#include "warpwise/primitives/gemv/kernel.cuh"

namespace warpwise::kernels::gemv {

template __global__ void gemv_rows<GemvF32, GemvAccess::vector, 8, 4, 1>(GemvArguments, int, int,
                                                                         bool, int64_t);
template __global__ void gemv_rows<GemvF32, GemvAccess::vector, 8, 2, 1>(GemvArguments, int, int,
                                                                         bool, int64_t);
template __global__ void gemv_rows<GemvF32, GemvAccess::vector, 8, 1, 1>(GemvArguments, int, int,
                                                                         bool, int64_t);
template __global__ void gemv_rows<GemvF32, GemvAccess::vector, 2, 1, 4>(GemvArguments, int, int,
                                                                         bool, int64_t);
template __global__ void gemv_rows<GemvF32, GemvAccess::element, 8, 4, 1>(GemvArguments, int, int,
                                                                          bool, int64_t);
template __global__ void gemv_rows<GemvF32, GemvAccess::element, 8, 1, 4>(GemvArguments, int, int,
                                                                          bool, int64_t);
template __global__ void gemv_rows<GemvF32, GemvAccess::element, 2, 1, 8>(GemvArguments, int, int,
                                                                          bool, int64_t);
template __global__ void gemv_gather<unsigned>(const unsigned char*, int64_t, int64_t, unsigned*);
template __global__ void gemv_narrow<GemvF32>(GemvArguments);

}  // namespace warpwise::kernels::gemv
