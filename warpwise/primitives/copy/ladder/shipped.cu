// The kernel that copy() launches, itself.
#include "warpwise/primitives/copy/kernel.cuh"
