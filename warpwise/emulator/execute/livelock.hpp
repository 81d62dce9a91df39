#pragma once

// Internal to the emulator: kernels that go on for ever without anything changing. A block whose
// registers and places are what they were a round ago, and that has written no memory meanwhile,
// does the same again for ever, unless another block changes what it reads. When that is so of all
// blocks of all workers, the launch is ended.

#include <cstdint>
#include <memory>
#include <span>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Whether a block, all of whose warps have only gone round in loops or waited, is where it was
/// when this was asked last.
bool stands_still(Block& block);

/// What one worker tells the others of its blocks, round by round.
class Stillness {
 public:
  explicit Stillness(const Launch& launch) : launch_(launch) {}

  /// Before a round of the worker's blocks, and after it.
  void round_begins();
  void round_ends(bool still);
  /// The worker has no block any more, and gets none.
  void worker_ends();

 private:
  const Launch& launch_;
  std::uint64_t seen_ = 0;  ///< of Progress::still, when the round began
  bool counted_ = false;    ///< in that epoch
  std::uint64_t counted_in_ = 0;
};

/// A fault for each place at which threads of the blocks wait or go round.
void report_livelock(std::span<const std::unique_ptr<Block>> blocks, const Code& code);

}  // namespace warpwise::emulator
