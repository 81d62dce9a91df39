// The kernel that sobel() launches for this ladder's problem, itself.
#include "warpwise/primitives/sobel/kernel.cuh"

template __global__ void warpwise::kernels::sobel_kernel<
    warpwise::kernels::SobelSource::rgba, unsigned char, warpwise::kernels::SobelResult::l1,
    warpwise::kernels::SobelPair<2, 1>>(warpwise::kernels::SobelArguments);
