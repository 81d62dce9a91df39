// The kernels that copy() launches, themselves: one or the other.
#include "warpwise/primitives/copy/kernel.cuh"
