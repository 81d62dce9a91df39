#pragma once

// Internal to the emulator: turns in the order of a schedule (LaunchOptions::orders).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "warpwise/emulator/execute/deadlock.hpp"
#include "warpwise/emulator/execute/residents.hpp"
#include "warpwise/emulator/execute/rounds.hpp"
#include "warpwise/emulator/execute/schedule.hpp"
#include "warpwise/emulator/execute/turn.hpp"

namespace warpwise::emulator {

// Number of blocks whose turns are interleaved in a shuffled order. Two are enough to find results
// that depend on the order, and more than four cause cache misses.
inline constexpr std::size_t shuffled_blocks = 4;

/// Gives each warp of a block a turn, in the schedule's order.
template <class Observers>
BlockOutcome run_block_shuffled(Block& block, ObservedWorker<Observers>& worker) {
  std::vector<Warp*> warps;
  for (Warp& warp : block.warps) {
    if (!warp.groups.empty()) warps.push_back(&warp);
  }
  worker.schedule->arrange_warps(warps);
  bool ready = false;
  std::uint64_t executed = 0;
  for (Warp* warp : warps) {
    const std::uint64_t before = warp->executed;
    const TurnEnd outcome = Turn<Observers, true>(*warp, *worker.code, worker.observers).run();
    executed += warp->executed - before;
    ready = ready || outcome == TurnEnd::ready;
    if (worker.launch->progress->stop) break;
  }
  charge(worker, block, executed);
  if (executed != 0) block.cluster->moved = true;
  if (worker.launch->progress->stop || block.live == 0) return BlockOutcome::finished;
  if (ready || executed != 0) return BlockOutcome::running;
  if (block.cluster->blocks.size() > 1) return BlockOutcome::stuck;
  report_deadlock(block, *worker.code);
  return BlockOutcome::finished;
}

/// Returns true if a warp of the block has spun since the last call.
inline bool has_spun(Block& block) {
  bool any = false;
  for (Warp& warp : block.warps) any |= std::exchange(warp.spun, false);
  return any;
}

/// Runs all blocks, like run_all(), with turns in a schedule's order. Runs some blocks at once, and
/// adds more if all of them spin, because they may wait for a block that has not begun.
template <class Observers>
std::uint64_t run_all_shuffled(ObservedWorker<Observers>& worker) {
  const Launch& launch = *worker.launch;
  worker.schedule = std::make_shared<Schedule>(launch.order, launch.order_seed, launch.clusters);
  Residents<Observers> residents(worker);
  auto& resident = residents.blocks();
  std::set<const Block*> spinning;
  std::uint64_t next = 0;
  std::uint64_t ended = 0;
  while (!launch.progress->stop) {
    const bool all_spin = spinning.size() == resident.size();
    while (next < launch.clusters &&
           (resident.size() < shuffled_blocks || (all_spin && residents.has_room()))) {
      residents.start(launch.cluster_number(worker.schedule->block(next++)));
      spinning.clear();
      if (resident.size() >= shuffled_blocks) break;
    }
    if (resident.empty()) break;
    worker.schedule->arrange_blocks(resident);
    bool any_stuck = false;
    for (const auto& block : resident) block->cluster->moved = false;
    for (auto it = resident.begin(); it != resident.end();) {
      const BlockOutcome outcome = run_block_shuffled(**it, worker);
      if (outcome == BlockOutcome::finished) {
        if ((*it)->live == 0) ++ended;
        spinning.erase(it->get());
        it = residents.end(it);
        continue;
      }
      (*it)->is_stuck = outcome == BlockOutcome::stuck;
      any_stuck = any_stuck || (*it)->is_stuck;
      // A block that is stuck counts as spinning: its cluster waits for a block that may not have
      // begun.
      if (has_spun(**it) || (*it)->is_stuck) spinning.insert(it->get());
      ++it;
    }
    if (any_stuck && residents.end_deadlocked()) spinning.clear();
  }
  return ended;
}

}  // namespace warpwise::emulator
