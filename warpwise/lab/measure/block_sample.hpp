#pragma once

#include <cstdint>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// Counts of a whole grid from some of its blocks.
namespace warpwise::lab {

/// How many blocks of a grid are run.
struct BlockSample {
  std::uint64_t blocks = 0;  ///< 0: see `share`
  double share = 1;          ///< of the grid's blocks

  /// Of a grid with so many blocks: at least one, at most all.
  std::uint64_t of(std::uint64_t grid_blocks) const;
};

/// "2000" blocks or "5%" of them. \throws InvalidArgument  for no blocks, or more than 100 %
BlockSample parse_sample(const std::string& text);

/// Makes the counts of `sampled_blocks` those of a grid with `grid_blocks`, each rounded. What ran
/// stays in LaunchResult::blocks. Where fewer came to their end, as a fault stopped the launch, the
/// counts are left as they are: how much of a block is in them is not known.
void extrapolate(emulator::LaunchResult& launch, std::uint64_t sampled_blocks,
                 std::uint64_t grid_blocks);

}  // namespace warpwise::lab
