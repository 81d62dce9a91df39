// The kernel that sobel() itself launches for this ladder's problem.
#include "warpwise/primitives/sobel/kernel.cuh"

namespace warpwise::kernels::sobel {

template __global__ void sobel_kernel<SobelSource::rgba, unsigned char, SobelResult::l1,
                                      SobelPair<2, 1>>(SobelArguments);

}  // namespace warpwise::kernels::sobel
