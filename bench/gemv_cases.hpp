#pragma once

#include <vector>

#include "bench/gpu_harness.hpp"

namespace warpwise::bench {

/// A product of a matrix in f32, of width columns and height rows, by warpwise and by cuBLAS.
std::vector<Case> gemv_beside_cublas(Size matrix, bool transpose);

}  // namespace warpwise::bench
