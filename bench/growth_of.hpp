#pragma once

#include <vector>

#include "bench/gpu_harness.hpp"

// Cases of `bench --growth` that are defined beside the primitive's other cases.
namespace warpwise::bench {

/// Returns rgb24 to edges with window 3, in one kernel and in separate ones.
std::vector<Case> chain_growth(Size size);

/// Returns sad of blocks of 32x32, with displacements −16 to 15 along both axes.
Case match_growth(Size frame);

/// Returns sad of blocks of 11x11, 64 displacements, checked.
Case disparity_growth(Size image);

/// Returns the best place by zncc of a template of 32x32.
Case find_growth(Size image);

}  // namespace warpwise::bench
