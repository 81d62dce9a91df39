#pragma once

// Internal to the emulator: the blocks that a worker runs in turn while they wait for each other.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "warpwise/emulator/execute/block.hpp"
#include "warpwise/emulator/execute/deadlock.hpp"
#include "warpwise/emulator/observe/observer.hpp"

namespace warpwise::emulator {

// Limit of blocks that one worker keeps at once.
inline constexpr std::size_t most_resident_blocks = 1024;

/// The blocks that a worker runs in turn.
template <class Observers>
class Residents {
 public:
  explicit Residents(ObservedWorker<Observers>& worker) : worker_(worker) {}

  bool has_room() const {
    return blocks_.size() + worker_.launch->cluster.count() <= most_resident_blocks;
  }

  /// Starts all blocks of a cluster.
  void start(std::uint64_t number) {
    const Launch& launch = *worker_.launch;
    const Dim3 each = launch.cluster;
    const auto count = static_cast<std::uint32_t>(each.count());
    const Dim3 at =
        place_in(number, {launch.grid.x / each.x, launch.grid.y / each.y, launch.grid.z / each.z});
    std::shared_ptr<Cluster> cluster;
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      std::unique_ptr<Block> block = take();
      if (rank == 0 && count == 1) cluster = std::move(block->cluster);
      if (!cluster) cluster = std::make_shared<Cluster>();
      const Dim3 in = place_in(rank, each);
      const std::uint64_t x = std::uint64_t{at.x} * each.x + in.x;
      const std::uint64_t y = std::uint64_t{at.y} * each.y + in.y;
      const std::uint64_t z = std::uint64_t{at.z} * each.z + in.z;
      block->rank = rank;
      start_block(*block, worker_, x + launch.grid.x * (y + launch.grid.y * z));
      cluster->blocks.resize(count);
      cluster->blocks[rank] = block.get();
      block->cluster = cluster;
      blocks_.push_back(std::move(block));
    }
    cluster->live = count * static_cast<std::uint32_t>(launch.block.count());
    cluster->arrived = 0;
    for (Block* block : cluster->blocks) worker_.observers.on_block_begin(*block);
  }

  using Iterator = std::vector<std::unique_ptr<Block>>::iterator;
  Iterator end(Iterator which) {
    Block& block = **which;
    worker_.observers.on_block_end(block);
    block.cluster->blocks[block.rank] = nullptr;
    block.cluster->moved = true;
    idle_.push_back(std::move(*which));
    return blocks_.erase(which);
  }

  /// Ends the stuck blocks of clusters that made no progress in this round, and reports their
  /// deadlock. Returns false if there are no such blocks.
  bool end_deadlocked() {
    std::vector<const Block*> dead;
    for (const auto& block : blocks_) {
      if (block->is_stuck && !block->cluster->moved) dead.push_back(block.get());
    }
    for (auto it = blocks_.begin(); it != blocks_.end();) {
      if (std::find(dead.begin(), dead.end(), it->get()) == dead.end()) {
        ++it;
        continue;
      }
      report_deadlock(**it, *worker_.code);
      it = end(it);
    }
    return !dead.empty();
  }

  std::vector<std::unique_ptr<Block>>& blocks() { return blocks_; }

 private:
  std::unique_ptr<Block> take() {
    if (idle_.empty()) return std::make_unique<Block>();
    std::unique_ptr<Block> block = std::move(idle_.back());
    idle_.pop_back();
    return block;
  }

  ObservedWorker<Observers>& worker_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::unique_ptr<Block>> idle_;
};

}  // namespace warpwise::emulator
