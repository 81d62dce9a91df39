#include "warpwise/emulator/execute/scheduler.hpp"

#include <bit>
#include <cstdint>
#include <string>

#include "warpwise/emulator/execute/deadlock.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/livelock.hpp"
#include "warpwise/emulator/execute/residents.hpp"
#include "warpwise/emulator/execute/rounds.hpp"
#include "warpwise/emulator/execute/shuffled_rounds.hpp"
#include "warpwise/emulator/execute/sleepers.hpp"
#include "warpwise/emulator/execute/turn.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {

void charge(Worker& worker, Block& block, std::uint64_t executed) {
  const Launch& launch = *worker.launch;
  const std::uint64_t total = launch.progress->executed.fetch_add(executed) + executed;
  if (launch.host_code != nullptr && total >= launch.host_code_after) launch.host_code->make();
  const bool interrupted = launch.interrupted != nullptr && *launch.interrupted;
  const bool over = launch.budget != 0 && total > launch.budget;
  if ((!interrupted && !over) || launch.progress->stop.exchange(true)) return;
  const FaultKind kind = interrupted ? FaultKind::interrupted : FaultKind::budget;
  const std::string message =
      interrupted
          ? "the kernel was interrupted"
          : "the kernel did not end within " + std::to_string(launch.budget) + " warp instructions";
  for (const bool waits : {false, true}) {
    for (Warp& warp : block.warps) {
      for (const Group& group : warp.groups) {
        if ((group.state == Group::State::barrier) != waits) continue;
        record_fault(warp, launch.code->operations[group.pc], kind, std::countr_zero(group.mask),
                     message);
        return;
      }
    }
  }
  // No warp of this block is left, so the fault names the first operation.
  record_fault(block.warps.front(), launch.code->operations.front(), kind, 0, message);
}

namespace {

/// Returns true if a warp polls the same address by the same operation as in its previous turn. An
/// ordinary loop of volatile reads goes on to other addresses.
bool polls_again(const Poll& before, const Poll& now) {
  return before.known && now.known && before.operation == now.operation &&
         before.address == now.address;
}

template <class Observers>
BlockOutcome run_block(Block& block, ObservedWorker<Observers>& worker) {
  const Code& code = *worker.code;
  bool ready = false;
  bool only_spins = true;
  bool only_loops = true;
  bool only_polls = true;
  std::uint64_t executed = 0;
  bool repeats = false;
  for (Warp& warp : block.warps) {
    if (warp.groups.empty()) continue;
    const std::uint64_t before = warp.executed;
    const Poll polled = warp.poll;
    const std::uint64_t polls = warp.polls;
    warp.spun = warp.looped = false;
    const TurnEnd outcome = Turn<Observers>(warp, code, worker.observers).run();
    executed += warp.executed - before;
    repeats = repeats || (warp.polls != polls && polls_again(polled, warp.poll));
    if (outcome == TurnEnd::ready) {
      ready = true;
      only_spins = only_spins && warp.spun;
      only_loops = only_loops && warp.looped;
      only_polls = only_polls && polls_again(polled, warp.poll);
    } else if (warp.executed != before) {
      only_spins = only_loops = false;
    }
    if (worker.launch->progress->stop) break;
  }
  charge(worker, block, executed);
  if (executed != 0) block.cluster->moved = true;
  if (worker.launch->progress->stop) return BlockOutcome::finished;
  if (block.live == 0) return BlockOutcome::finished;
  if (!ready && executed == 0) {
    if (block.cluster->blocks.size() > 1) return BlockOutcome::stuck;
    report_deadlock(block, code);
    return BlockOutcome::finished;
  }
  if (repeats) ++block.repeats;
  if (!ready || !only_loops)
    return block.repeats < worker.patience ? BlockOutcome::running : BlockOutcome::repeating;
  if (!only_spins) return BlockOutcome::looping;
  return only_polls ? BlockOutcome::polling : BlockOutcome::spinning;
}

/// Returns true if only other blocks can let this block continue. Called after
/// Stillness::looks_at(). Blocks of a cluster never sleep, because a cluster counts as deadlocked
/// if none of its blocks executes an instruction in a round.
bool may_sleep(const Block& block, BlockOutcome outcome, bool stands) {
  if (block.cluster->blocks.size() > 1) return false;
  const bool wrote = !block.state_is_known;
  return stands || (outcome == BlockOutcome::polling && !wrote);
}

template <class Observers>
std::uint64_t run_all(ObservedWorker<Observers>& worker) {
  const Launch& launch = *worker.launch;
  Residents<Observers> residents(worker);
  auto& resident = residents.blocks();
  Sleepers sleepers;
  bool waiting_for_others = true;  // no resident block can continue by itself
  bool exhausted = false;
  std::uint64_t ended = 0;
  Stillness stillness(worker);
  while (!launch.progress->stop) {
    if (waiting_for_others) {
      const bool has_room = !exhausted && residents.has_room();
      const std::uint64_t next = has_room ? launch.progress->next_cluster.fetch_add(1) : 0;
      exhausted = exhausted || (has_room && next >= launch.clusters);
      if (has_room && !exhausted)
        residents.start(launch.cluster_number(next));
      else
        sleepers.wake();
    }
    if (resident.empty()) break;
    waiting_for_others = true;
    const bool any_sleeps = sleepers.any();
    bool still = !any_sleeps && (exhausted || !residents.has_room());
    bool any_stuck = false;
    std::size_t turns = 0;
    stillness.round_begins();
    for (const auto& block : resident) block->cluster->moved = false;
    for (auto it = resident.begin(); it != resident.end();) {
      if (any_sleeps && sleepers.has(**it)) {
        ++it;
        continue;
      }
      ++turns;
      const BlockOutcome outcome = run_block(**it, worker);
      if (outcome == BlockOutcome::finished && !launch.progress->livelock) {
        if ((*it)->live == 0) ++ended;
        it = residents.end(it);
        still = false;
        continue;
      }
      (*it)->is_stuck = outcome == BlockOutcome::stuck;
      any_stuck = any_stuck || (*it)->is_stuck;
      const bool repeats = outcome == BlockOutcome::repeating;
      if (repeats) worker.patience = 1;
      const bool loops = outcome != BlockOutcome::running && !repeats;
      const bool stands = stillness.looks_at(**it, loops);
      still = still && stands;
      const bool spins = outcome == BlockOutcome::spinning || outcome == BlockOutcome::polling;
      waiting_for_others = waiting_for_others && (spins || stands || repeats);
      if (may_sleep(**it, outcome, stands)) sleepers.add(**it);
      ++it;
    }
    if (any_stuck && residents.end_deadlocked()) still = false;
    stillness.round_ends(still);
    if (any_sleeps) sleepers.count_turns(turns);
  }
  if (launch.progress->livelock) report_livelock(resident, *launch.code);
  stillness.worker_ends();
  return ended;
}

}  // namespace

std::uint64_t run_blocks(ObserverSet observers, Worker& worker) {
  return with_observers(observers, [&](auto set) {
    using Set = typename decltype(set)::type;
    auto& own = static_cast<ObservedWorker<Set>&>(worker);
    if constexpr (!Set::any) {
      if (worker.launch->order > 0) return run_all_shuffled(own);
    }
    return run_all(own);
  });
}

}  // namespace warpwise::emulator
