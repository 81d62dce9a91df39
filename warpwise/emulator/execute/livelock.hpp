#pragma once

// Internal to the emulator: detects kernels that run for ever without a change.
//
// In a round, each warp of a block takes a turn. A block stands still if its registers and program
// counters are the same as a round ago, and it has written no memory since. It then repeats itself,
// unless another block changes what it reads. If all blocks of all workers stand still, the launch
// is ended.
//
// A loop that reads a clock never stands still, because each read gives another value. If a
// worker's blocks only loop and read clocks, the worker holds its clocks: for some rounds, they
// show the same time. The blocks of all workers may then stand still. They wait for a time limit,
// or for ever. All clocks are therefore set ahead, so that a wait with a time limit ends. Each
// further step is twice as long as the one before, up to longest_step. If the blocks still stand
// still after that, the launch is ended.

#include <cstdint>
#include <memory>
#include <span>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Longest step by which the clocks are set ahead: 2^40 nanoseconds (18 minutes) or, for a clock of
/// instructions, 2^40 instructions.
inline constexpr std::uint64_t longest_step = std::uint64_t{1} << 40;

/// Tells the other workers, in each round, whether this worker's blocks stand still.
class Stillness {
 public:
  explicit Stillness(Worker& worker) : worker_(worker), progress_(*worker.launch->progress) {}

  /// Called before and after a round of the worker's blocks.
  /// \param still  all blocks have stood still in the round
  void round_begins();
  void round_ends(bool still);
  /// Returns true if a block has stood still since the last call.
  /// \param loops  all its warps have only looped or waited
  bool looks_at(Block& block, bool loops);
  /// Called when the worker has no blocks left and gets no more.
  void worker_ends();

 private:
  void hold_or_release_clocks(bool still);
  void hold_clocks(bool hold);
  void vote(bool still);
  /// Sets the clocks ahead. Returns false if no clock is held, or after the longest step.
  bool passes_time();

  Worker& worker_;
  Progress& progress_;
  bool moved_ = false;  ///< a block has written memory or made progress in this round
  bool timed_ = false;  ///< a block has read a clock in this round
  int rounds_ = 0;      ///< consecutive rounds that read clocks and moved no block
  int rounds_before_hold_ = 4;
  std::uint64_t ahead_seen_ = 0;  ///< Progress::clock_ahead
  std::uint64_t seen_ = 0;        ///< Progress::still at the begin of the round
  bool counted_ = false;          ///< Progress::still counts this worker in the epoch counted_in_
  std::uint64_t counted_in_ = 0;
};

/// Records a fault for each place at which threads of the blocks wait or loop.
void report_livelock(std::span<const std::unique_ptr<Block>> blocks, const Code& code);

}  // namespace warpwise::emulator
