#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// Estimates the counts of a whole grid from some of its blocks.
namespace warpwise::lab {

/// Number of a grid's blocks to run.
struct BlockSample {
  std::uint64_t blocks = 0;  ///< number of blocks; 0: `share` gives it
  double share = 1;          ///< share of the grid's blocks

  /// Returns the number of blocks to run in a grid of this size: at least one, at most all.
  std::uint64_t of(std::uint64_t grid_blocks) const;
};

/// Parses a number of blocks, "2000", or a share of the grid, "5%".
/// \throws InvalidArgument  the text is neither, is 0, or is more than 100 %
BlockSample parse_sample(const std::string& text);

/// Returns a sample that needs about a quarter of the budget, for a launch that was stopped because
/// it exceeded the budget. Returns nothing if the launch was not stopped for this reason,
/// if it has another fault too, or if no block ended.
std::optional<BlockSample> sample_within(std::uint64_t budget,
                                         const emulator::LaunchResult& launch);

/// Returns true if the blocks that were asked for ran to their end.
bool has_ended(const emulator::LaunchResult& launch, std::uint64_t blocks);

/// Returns true if a sample's extrapolated counts may replace a launch that exceeded the budget:
/// - All sampled blocks ended, and the whole grid needs more than the budget. The grid's size thus
///   stopped the launch, not an endless loop, nor blocks that wait for each other.
/// - The sample has an access that is out of bounds or misaligned. The launch may have been stopped
///   before it came to the block with this fault.
bool replaces_stopped(const emulator::LaunchResult& sample, std::uint64_t sampled_blocks,
                      std::uint64_t budget);

/// Largest count that extrapolate() gives. The report of a kernel refuses larger ones.
inline constexpr double most_counted = 1e18;

/// Scales the counts of a sample to a grid of `grid_blocks` and rounds them. The sample has
/// `sampled_blocks`, or more because whole clusters run. LaunchResult::blocks stays the number that
/// ran. If a fault stopped the launch, the counts stay unchanged, because they contain parts of
/// unfinished blocks.
/// \throws InvalidArgument  a count would exceed `most_counted`
void extrapolate(emulator::LaunchResult& launch, std::uint64_t sampled_blocks,
                 std::uint64_t grid_blocks);

}  // namespace warpwise::lab
