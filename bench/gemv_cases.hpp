#pragma once

#include <vector>

#include "bench/gpu_harness.hpp"

namespace warpwise::bench {

/// Returns the cases of gemv by warpwise and by cuBLAS, for an f32 matrix with matrix.width columns
/// and matrix.height rows.
std::vector<Case> gemv_beside_cublas(Size matrix, bool transpose);

}  // namespace warpwise::bench
