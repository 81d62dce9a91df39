#pragma once

// The kernels of gemv, for nvcc and NVRTC: they include no host headers. Products and sums are
// rounded one by one, in the order of order.hpp.
#include "warpwise/primitives/gemv/columns.cuh"
#include "warpwise/primitives/gemv/rows.cuh"
#include "warpwise/primitives/gemv/short_columns.cuh"
#include "warpwise/primitives/gemv/strands.cuh"
#include "warpwise/primitives/gemv/sums.cuh"
