#pragma once

// Internal to the emulator: how long a block would take alone, and what it asks L2 and DRAM for.

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "warpwise/emulator/observe/observer.hpp"

namespace warpwise::emulator {

/// Follows a clock for each warp. An instruction is issued one cycle after the one before it, or
/// when the last of the registers that it reads is ready; a barrier sets the clocks of its block to
/// the latest. Loads are ready after the cycles of the farthest level that has one of their
/// sectors: a block's own part of L1, which forgets the oldest lines first, L2, which holds what
/// any block has touched, or DRAM. Fills in LaunchResult::pace.
///
/// Model, not fact: warps do not compete for units (the counts tell what those are asked for),
/// blocks of an SM share nothing, and L2 forgets nothing.
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
  using SectorMask = std::uint32_t;  ///< of a line's four sectors
  using Lines = std::unordered_map<Line, SectorMask>;

  // A type of its own, or the library would show std::deque's functions to all others.
  struct KeptLine {
    Line line = 0;
  };
  struct WarpClock {
    double now = 0;             ///< when its next instruction may be issued
    double issued = 0;          ///< when its last one was
    std::vector<double> ready;  ///< when each virtual register has its value
  };
  struct BlockClock {
    std::vector<WarpClock> warps;
    Lines l1;
    std::deque<KeptLine> oldest;  ///< the lines of l1, in the order in which they came
  };

  BlockClock& clock_of(const Block& block) { return *blocks_.at(&block); }
  double cycles_of(const Operation& op) const;
  /// The cycles until all sectors of a load from global memory are there.
  double load(BlockClock& block, const Access& access);
  void store(BlockClock& block, const Access& access);
  /// The lines and sectors that the lanes of an access touch.
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
