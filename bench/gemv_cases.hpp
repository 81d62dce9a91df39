#pragma once

#include <vector>

#include "bench/gpu_harness.hpp"

namespace warpwise::bench {

/// Returns the products of an f32 matrix, of width columns and height rows, by warpwise and by
/// cuBLAS.
std::vector<Case> gemv_beside_cublas(Size matrix, bool transpose);

}  // namespace warpwise::bench
