#pragma once

// Internal to the emulator: models the time of a block that runs alone, and its requests to L2 and
// DRAM.

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "warpwise/emulator/observe/observer.hpp"

namespace warpwise::emulator {

/// Follows a clock for each warp.
///
/// - An instruction issues one cycle after the previous one, or when the last register that it
///   reads is ready.
/// - A barrier sets the clocks of its block to the latest one.
/// - A load is ready after the latency of the farthest level that it needs: the block's share of
///   L1, which evicts the oldest lines first; L2, which holds everything that any block has
///   touched; or DRAM.
///
/// Fills in LaunchResult::pace. It is a model: warps do not compete for units (the counts give
/// their load), blocks of an SM share nothing, and L2 evicts nothing.
class Pace : public Observer {
 public:
  explicit Pace(const Launch& launch);

  void begins(Block& block);
  void ends(Block& block);
  void executes(Warp& warp, const Operation& op, Mask lanes);
  void accesses(Warp& warp, const Operation& op, const Access& access);
  void completes(Block& block, std::uint32_t barrier);

  static void collect(const Launch& launch, const std::vector<const Pace*>& workers,
                      LaunchResult& result);

 private:
  using Line = std::uint64_t;        ///< an address divided by 128
  using SectorMask = std::uint32_t;  ///< four sectors of a line
  using Lines = std::unordered_map<Line, SectorMask>;

  // A type of its own; otherwise the library would export std::deque's functions.
  struct KeptLine {
    Line line = 0;
  };
  struct WarpClock {
    double now = 0;             ///< earliest cycle of its next instruction
    double issued = 0;          ///< cycle of its last instruction
    std::vector<double> ready;  ///< for each virtual register, the cycle when its value is ready
  };
  struct BlockClock {
    std::vector<WarpClock> warps;
    Lines l1;
    std::deque<KeptLine> oldest;  ///< the lines of l1, in order of arrival
  };

  BlockClock& clock_of(const Block& block) { return *blocks_.at(&block); }
  double cycles_of(const Operation& op) const;
  /// Returns the cycles until all sectors of a global load are there.
  double load(BlockClock& block, const Access& access);
  void store(BlockClock& block, const Access& access);
  /// Returns the lines and sectors that an access touches.
  const Lines& touched(const Access& access);

  const Code* code_;
  PaceModel model_;
  rules::ComputeCapability cc_;
  std::unordered_map<const Block*, std::unique_ptr<BlockClock>> blocks_;
  Lines read_, written_;  ///< by all blocks
  Lines touched_;
  PaceCounts counts_;
};

}  // namespace warpwise::emulator
