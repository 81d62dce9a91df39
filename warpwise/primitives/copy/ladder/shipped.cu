// The kernels that copy() launches, one of them in each call.
#include "warpwise/primitives/copy/kernel.cuh"
