#pragma once

#include <vector>

#include "bench/gpu_harness.hpp"

// The cases of `bench --growth` that are made where the primitive's others are.
namespace warpwise::bench {

/// rgb24 to edges with window 3, in one kernel and in separate ones.
std::vector<Case> chain_growth(Size size);

/// Sad of blocks of 32x32, −16 to 15 both ways.
Case match_growth(Size frame);

/// Sad of blocks of 11x11, 64 displacements, checked.
Case disparity_growth(Size image);

/// The best place by zncc of a template of 32x32.
Case find_growth(Size image);

}  // namespace warpwise::bench
