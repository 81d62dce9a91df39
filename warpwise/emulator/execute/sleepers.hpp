#pragma once

// Internal to the emulator: blocks that wait for others and get no turns meanwhile.

#include <cstddef>
#include <unordered_set>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// The set of blocks that get fewer turns, because they wait for other blocks. They stand still, or
/// their last turn polled memory and wrote none. If a thousand blocks wait at a grid's barrier,
/// their turns would take nearly all the time. All sleepers therefore wait until the other blocks
/// have taken as many turns as there are sleepers. At most half of all turns are then useless.
class Sleepers {
 public:
  bool any() const { return !blocks_.empty(); }
  bool has(const Block& block) const { return blocks_.contains(&block); }
  void add(const Block& block) { blocks_.insert(&block); }
  void wake() {
    blocks_.clear();
    turns_ = 0;
  }

  /// Counts turns of other blocks while some sleep; wakes all after enough turns.
  void count_turns(std::size_t turns) {
    turns_ += turns;
    if (turns_ >= blocks_.size()) wake();
  }

 private:
  std::unordered_set<const Block*> blocks_;
  std::size_t turns_ = 0;  ///< turns of other blocks since the last wake-up
};

}  // namespace warpwise::emulator
