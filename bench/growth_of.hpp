#pragma once

#include <vector>

#include "bench/gpu_harness.hpp"

// Cases of `bench --growth` that are defined in the same file as other cases of their primitive.
namespace warpwise::bench {

/// Returns the cases of a chain from rgb24 to edges (threshold of window 3): in one kernel, and in
/// separate kernels.
std::vector<Case> chain_growth(Size size);

/// Returns the case of match: sad of blocks of 32x32, with displacements −16 to 15 along both axes.
Case match_growth(Size frame);

/// Returns the case of disparity: sad of blocks of 11x11, 64 displacements, with a left-right
/// check.
Case disparity_growth(Size image);

/// Returns the case of find: the best place by zncc of a template of 32x32.
Case find_growth(Size image);

}  // namespace warpwise::bench
