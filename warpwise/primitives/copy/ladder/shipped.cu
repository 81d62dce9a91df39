// The kernels that copy() launches: one or the other.
#include "warpwise/primitives/copy/kernel.cuh"
