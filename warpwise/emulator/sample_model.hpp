#pragma once

#include <algorithm>
#include <cstdint>

#include "warpwise/emulator/emulator.hpp"

// Settings of a sample. A sample runs some blocks of a launch on a model of the GPU, and the
// launch's time is predicted from it. The laboratory samples one kernel. The emulated runtime
// samples each kernel of a program.
namespace warpwise::emulator {

struct SampleModel {
  PaceModel pace;             ///< model of the GPU; l1_bytes is the L1 of a whole SM
  std::uint64_t threads = 0;  ///< number of threads to sample
  std::uint64_t fewest_blocks = 0;
  std::uint64_t budget = 0;  ///< limit of the sample's warp instructions

  /// Returns the options of a sample. \param blocks_per_sm  number of blocks that share an SM's L1
  LaunchOptions options(rules::ComputeCapability cc, std::uint64_t threads_per_block,
                        int blocks_per_sm) const {
    LaunchOptions result;
    result.compute_capabilities = {cc};
    result.budget = budget;
    result.sampled_blocks =
        std::max(fewest_blocks, threads / std::max<std::uint64_t>(threads_per_block, 1));
    result.pace = pace;
    result.pace->l1_bytes /= static_cast<std::uint64_t>(std::max(blocks_per_sm, 1));
    return result;
  }
};

}  // namespace warpwise::emulator
