#pragma once

// Internal to the emulator: blocks that wait for others, and get no turns meanwhile.

#include <cstddef>
#include <unordered_set>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Blocks whose last turn polled memory and changed none. Where a thousand of them wait at a grid's
/// barrier, turns of theirs would be nearly all that is executed: so they sleep until the others
/// have taken as many turns as there are sleepers, and at most half of all turns are in vain.
class Sleepers {
 public:
  bool any() const { return !blocks_.empty(); }
  bool has(const Block& block) const { return blocks_.contains(&block); }
  void add(const Block& block) { blocks_.insert(&block); }
  void wake() {
    blocks_.clear();
    turns_ = 0;
  }

  /// A turn of another block, while somebody sleeps; wakes all when that was one of enough.
  void count_turns(std::size_t turns) {
    turns_ += turns;
    if (turns_ >= blocks_.size()) wake();
  }

 private:
  std::unordered_set<const Block*> blocks_;
  std::size_t turns_ = 0;  ///< of others, since all were awake
};

}  // namespace warpwise::emulator
