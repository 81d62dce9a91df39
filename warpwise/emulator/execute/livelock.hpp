#pragma once

// Internal to the emulator: detects kernels that run for ever without a change.
//
// A block stands still if its registers and positions are the same as a round ago, and it has
// written no memory since. It then repeats itself, unless another block changes what it reads. If
// all blocks of all workers stand still, the launch is ended.

#include <cstdint>
#include <memory>
#include <span>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Returns true if a block stands still since the last call. All its warps must have only looped or
/// waited.
bool stands_still(Block& block);

/// Tells the other workers, in each round, whether this worker's blocks stand still.
class Stillness {
 public:
  explicit Stillness(const Launch& launch) : launch_(launch) {}

  /// Called before and after a round of the worker's blocks.
  void round_begins();
  void round_ends(bool still);
  /// The worker has no blocks left and gets no more.
  void worker_ends();

 private:
  const Launch& launch_;
  std::uint64_t seen_ = 0;  ///< Progress::still at the begin of the round
  bool counted_ = false;    ///< true: this worker counts in that epoch
  std::uint64_t counted_in_ = 0;
};

/// Records a fault for each place at which threads of the blocks wait or loop.
void report_livelock(std::span<const std::unique_ptr<Block>> blocks, const Code& code);

}  // namespace warpwise::emulator
