#include "warpwise/emulator/execute/scheduler.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/execute/barrier.hpp"
#include "warpwise/emulator/execute/calls.hpp"
#include "warpwise/emulator/execute/deadlock.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/livelock.hpp"
#include "warpwise/emulator/execute/residents.hpp"
#include "warpwise/emulator/execute/schedule.hpp"
#include "warpwise/emulator/execute/sync_check.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

// A turn of a warp, in instructions: long, since a switch costs cache misses; short beside a
// budget.
constexpr std::uint64_t turn_instructions = 1 << 18;
// Iterations of a loop that polls memory, after which others get their turn. Fewer would tear lanes
// apart that wait for each other at the end of an ordinary loop with atomics.
constexpr int spins_before_yield = 256;
// Blocks whose turns mix in a shuffled order. More cost cache misses, and two that meet are enough
// for a result that depends on the order.
constexpr std::size_t shuffled_blocks = 4;

constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

enum class Outcome { finished, waiting, ready };

/// Whether a group goes before another: those in the deepest call do, so that lanes which called
/// different functions come together again behind the call.
bool goes_before(const Group& a, const Group& b) {
  return a.depth != b.depth ? a.depth > b.depth : a.pc < b.pc;
}

/// Joins groups at one place; returns the ready group that goes first, -1 if there is none.
int pick(Warp& warp) {
  auto& groups = warp.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state == Group::State::barrier) continue;
    for (std::size_t k = i + 1; k < groups.size();) {
      if (groups[k].state != Group::State::barrier && groups[k].pc == groups[i].pc &&
          groups[k].depth == groups[i].depth) {
        groups[i].mask |= groups[k].mask;
        groups[i].state = Group::State::ready;  // looks again whether all have arrived
        groups[i].yielded = groups[i].yielded && groups[k].yielded;
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        ++k;
      }
    }
  }
  int best = -1;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state != Group::State::ready || groups[i].yielded) continue;
    if (best < 0 || goes_before(groups[i], groups[static_cast<std::size_t>(best)]))
      best = static_cast<int>(i);
  }
  return best;
}

/// The lowest program counter beyond pc at which another group of the warp is.
std::uint32_t next_meeting(const Warp& warp, std::size_t current, std::uint32_t pc) {
  std::uint32_t limit = no_limit;
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    const Group& group = warp.groups[i];
    if (i != current && group.state != Group::State::barrier && group.pc > pc &&
        group.depth == warp.groups[current].depth) {
      limit = std::min(limit, group.pc);
    }
  }
  return limit;
}

/// Lanes of a `.sync` operation's member masks that are still to come, of those that have not
/// exited.
Mask missing_members(const Warp& warp, const Operation& op, Mask lanes) {
  const auto* masks = source<std::uint32_t>(warp, op.members);
  Mask members = 0;
  for (int i = 0; i < warp_lanes; ++i) members |= (lanes >> i & 1) != 0 ? masks[i] : 0;
  return members & warp.live & ~lanes;
}

/// One warp's turn. \tparam shuffled  it may end behind any instruction, as the worker's schedule
/// says
template <class Observers, bool shuffled = false>
class Turn {
 public:
  Turn(Warp& warp, const Code& code, Observers& observers)
      : warp_(warp), code_(code), operations_(code.operations.data()), observers_(observers),
        check_sync_(warp.worker->launch->checks.has(Check::sync)) {
    if constexpr (shuffled)
      warp.turn_ends = warp.executed + warp.worker->schedule->turn_instructions();
    else
      warp.turn_ends = warp.executed + turn_instructions;
  }

  Outcome run() {
    if constexpr (shuffled) {
      if (run_some_lanes()) return Outcome::ready;
    }
    for (;;) {
      const int best = pick(warp_);
      if (best >= 0) {
        if (!run_group(static_cast<std::size_t>(best), false)) return Outcome::ready;
        continue;
      }
      if (warp_.groups.empty()) return Outcome::finished;
      bool any_yielded = false;
      for (Group& group : warp_.groups) {
        any_yielded |= group.yielded && group.state == Group::State::ready;
        group.yielded = false;
      }
      if (any_yielded) {
        warp_.spun = warp_.looped = true;
        return Outcome::ready;
      }
      // Lanes that wait for others which will not come: they go on alone.
      int forced = -1;
      for (std::size_t i = 0; i < warp_.groups.size(); ++i) {
        if (warp_.groups[i].state != Group::State::converging) continue;
        if (forced < 0 ||
            goes_before(warp_.groups[i], warp_.groups[static_cast<std::size_t>(forced)])) {
          forced = static_cast<int>(i);
        }
      }
      if (forced < 0) return Outcome::waiting;
      warp_.groups[static_cast<std::size_t>(forced)].state = Group::State::ready;
      if (!run_group(static_cast<std::size_t>(forced), true)) return Outcome::ready;
    }
  }

 private:
  /// A group while it runs; the warp's own copy of it is behind until save().
  struct Running {
    std::size_t index = 0;
    std::uint32_t pc = 0;
    Mask mask = 0;
    bool alone = true;    ///< the warp has no other
    bool forced = false;  ///< lanes that it should wait for do not come
  };

  enum class Then { go_on, next_group, end_turn };

  /// Runs a group until it ends, waits, splits or meets another; false when the turn is over.
  bool run_group(std::size_t index, bool forced) {
    Running run{index, warp_.groups[index].pc, warp_.groups[index].mask, warp_.groups.size() == 1,
                forced};
    const std::uint32_t limit = run.alone ? no_limit : next_meeting(warp_, index, run.pc);
    while (run.pc < limit) {
      const Operation& op = operations_[run.pc];
      if constexpr (shuffled) {
        if (warp_.executed >= warp_.turn_ends || (ahead_ && !may_go_ahead(op))) {
          save(run);
          return false;
        }
      }
      Mask lanes = run.mask;
      if (op.guard != Operation::none) {
        const Mask guard = predicate(warp_, op.guard);
        lanes &= op.guard_negated ? ~guard : guard;
        observers_.guards(warp_, op, run.mask);
      }
      Then then = Then::go_on;
      switch (op.control) {
        case Control::plain:
          observe(op, lanes);
          if (lanes != 0) execute(op, lanes);
          if constexpr (shuffled) look_at_watch(op, lanes);
          ++run.pc;
          continue;
        case Control::converge: then = converge(run, op, lanes); break;
        case Control::branch: then = branch(run, op, lanes); break;
        case Control::branch_indexed:
          observe(op, lanes);
          split_by_table(run.index, op, run.pc, run.mask, lanes);
          return true;
        case Control::exit: then = exit(run, op, lanes); break;
        case Control::call: then = call(run, op, lanes); break;
        case Control::ret: then = leave_function(run, op, lanes); break;
        case Control::barrier:
          then = barrier(run, op, lanes);
          ++run.pc;
          break;
        case Control::warpgroup:
          then = warpgroup(run, op, lanes);
          ++run.pc;
          break;
        case Control::trap:
          then = trap(run, op, lanes);
          ++run.pc;
          break;
      }
      if (then != Then::go_on) return then == Then::next_group;
    }
    save(run);
    return true;
  }

  void save(const Running& run) { warp_.groups[run.index].pc = run.pc; }

  // What a warp's lanes do together as one they also do in an order of their own: all others come
  // to it by themselves.
  static bool may_go_ahead(const Operation& op) {
    return op.control == Control::plain || op.control == Control::branch;
  }

  /// Now and then some lanes of a warp go ahead of the others, as threads may; false where they do
  /// not.
  bool run_some_lanes() {
    Schedule& schedule = *warp_.worker->schedule;
    if (!schedule.lanes_part() || warp_.groups.size() != 1) return false;
    Group& all = warp_.groups.front();
    const Mask some = all.mask & schedule.lanes();
    if (all.state != Group::State::ready || some == 0 || some == all.mask) return false;
    const Group others{all.pc, all.mask & ~some, Group::State::ready, false, 0, all.depth};
    all.mask = some;
    warp_.groups.push_back(others);
    ahead_ = true;
    run_group(0, false);
    return true;
  }

  void look_at_watch(const Operation& op, Mask lanes) {
    Watch* const watch = warp_.worker->launch->watch;
    if (watch == nullptr || *watch->byte == watch->value) return;
    watch->value = *watch->byte;
    watch->has_changed = true;
    watch->operation = op.index;
    watch->block = warp_.block->linear;
    watch->thread = warp_.thread(writer_of(op, lanes, watch->address));
  }

  /// The lane that wrote an address: of several that did the last.
  int writer_of(const Operation& op, Mask lanes, Address address) const {
    int lane = std::countr_zero(lanes);
    const InstructionClass kind = code_.classes[op.index];
    if (kind != InstructionClass::store && kind != InstructionClass::atomic) return lane;
    std::uint64_t addresses[warp_lanes];
    load_addresses(warp_, op, addresses);
    std::uint64_t nearest = 0;
    for (int i = 0; i < warp_lanes; ++i) {
      if ((lanes >> i & 1) == 0 || addresses[i] > address || addresses[i] < nearest) continue;
      nearest = addresses[i];
      lane = i;
    }
    return lane;
  }

  Then converge(Running& run, const Operation& op, Mask lanes) {
    if (!run.forced && !run.alone && missing_members(warp_, op, lanes) != 0) {
      save(run);
      warp_.groups[run.index].state = Group::State::converging;
      return Then::next_group;
    }
    run.forced = false;
    observe(op, lanes);
    if (lanes != 0) {
      if (check_sync_) check_members(warp_, op, lanes);
      observers_.converges(warp_, op, lanes);
      execute_by_mask(op, lanes);
    }
    ++run.pc;
    return Then::go_on;
  }

  Then branch(Running& run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    const auto target = static_cast<std::uint32_t>(op.target);
    const Mask others = run.mask & ~lanes;
    if (lanes == 0) {
      ++run.pc;
      return Then::go_on;
    }
    if (others != 0) {
      observers_.diverges(warp_, op);
      return split(run, target, lanes, others);
    }
    const bool backwards = target <= run.pc;
    run.pc = target;
    if (backwards && turn_over(warp_.groups[run.index])) {
      save(run);
      return after_turn(run);
    }
    if (run.alone) return Then::go_on;
    save(run);
    return Then::next_group;
  }

  /// Lanes that branch, and others that go on behind the branch.
  Then split(const Running& run, std::uint32_t target, Mask lanes, Mask others) {
    warp_.groups[run.index].pc = target;
    warp_.groups[run.index].mask = lanes;
    const std::uint32_t depth = warp_.groups[run.index].depth;
    warp_.groups.push_back({run.pc + 1, others, Group::State::ready, false, 0, depth});
    if (target > run.pc || !turn_over(warp_.groups[run.index])) return Then::next_group;
    return after_turn(run);
  }

  /// A spin gives way to the warp's other lanes first.
  Then after_turn(const Running& run) const {
    return warp_.groups[run.index].yielded ? Then::next_group : Then::end_turn;
  }

  Then exit(Running& run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    ++run.pc;
    run.mask &= ~lanes;
    save(run);
    warp_.groups[run.index].mask = run.mask;
    if (run.mask == 0)
      warp_.groups.erase(warp_.groups.begin() + static_cast<std::ptrdiff_t>(run.index));
    if (lanes != 0) leave(warp_, op, lanes, code_, observers_);
    return run.mask == 0 ? Then::next_group : Then::go_on;
  }

  // This and trap() are out of line and take copies, so that what every instruction needs stays in
  // registers; the caller goes on to the next instruction.
  [[gnu::noinline]] Then barrier(Running run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    if (lanes == 0) return Then::go_on;
    const BarrierKind kind = flags_of<BarrierFlags>(op).kind;
    if (kind == BarrierKind::cluster_wait) return wait_for_cluster(run, op, lanes);
    if (kind == BarrierKind::cluster_arrive) {
      arrive_at_cluster(warp_, op, lanes, observers_);
      return Then::go_on;
    }
    const std::uint32_t id = arrive(warp_, op, lanes);
    const bool waits = kind != BarrierKind::arrive;
    observers_.arrives(warp_, op, lanes, id);
    if (waits) {
      const std::uint32_t depth = warp_.groups[run.index].depth;
      warp_.groups[run.index] = {run.pc, lanes, Group::State::barrier, false, id, depth};
      if ((run.mask & ~lanes) != 0) {
        warp_.groups.push_back(
            {run.pc + 1, run.mask & ~lanes, Group::State::ready, false, 0, depth});
      }
    }
    if (is_complete(*warp_.block, warp_.block->barriers[id]))
      finish_barrier(*warp_.block, id, code_, observers_);
    return waits ? Then::next_group : Then::go_on;
  }

  /// The last of a warpgroup's warps executes for all of them: none may go on before the others'
  /// parts are done, as it may let somebody write what they read.
  [[gnu::noinline]] Then warpgroup(const Running& run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    if (lanes == 0) return Then::go_on;
    Block& block = *warp_.block;
    const std::uint32_t id = first_warpgroup_barrier + warp_.index / warpgroup_warps;
    block.barriers[id].expected = warpgroup_warps * warp_lanes;
    block.barriers[id].arrived += static_cast<std::uint32_t>(std::popcount(lanes));
    const std::uint32_t depth = warp_.groups[run.index].depth;
    warp_.groups[run.index] = {run.pc, lanes, Group::State::barrier, false, id, depth};
    if (const Mask others = run.mask & ~lanes; others != 0)
      warp_.groups.push_back({run.pc + 1, others, Group::State::ready, false, 0, depth});
    if (is_complete(block, block.barriers[id])) finish_warpgroup(block, id, code_, observers_);
    return Then::next_group;
  }

  Then wait_for_cluster(const Running& run, const Operation& op, Mask lanes) {
    const Mask waiting = wait_at_cluster(warp_, op, lanes, observers_);
    if (waiting == 0) return Then::go_on;
    const std::uint32_t depth = warp_.groups[run.index].depth;
    warp_.groups[run.index] = {run.pc, waiting,         Group::State::barrier,
                               false,  cluster_barrier, depth};
    if (const Mask others = run.mask & ~waiting; others != 0)
      warp_.groups.push_back({run.pc + 1, others, Group::State::ready, false, 0, depth});
    return Then::next_group;
  }

  [[gnu::noinline]] Then trap(Running run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    if (lanes == 0) return Then::go_on;
    record_fault(warp_, op, FaultKind::trap, std::countr_zero(lanes),
                 "the kernel executed " + code_.names[run.pc]);
    warp_.worker->launch->progress->stop = true;
    save(run);
    return Then::end_turn;
  }

  [[gnu::noinline]] Then call(Running run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    const auto functions = enter_functions(warp_, op, lanes);
    if (functions.empty() && lanes != 0) {
      save(run);
      return Then::end_turn;
    }
    go_to(run, op, functions, run.mask & ~lanes, warp_.groups[run.index].depth + 1);
    // A recursion need not have a backward branch.
    return warp_.executed >= warp_.turn_ends ? Then::end_turn : Then::next_group;
  }

  [[gnu::noinline]] Then leave_function(Running run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    go_to(run, op, leave_functions(warp_, lanes), run.mask & ~lanes,
          warp_.groups[run.index].depth - 1);
    return Then::next_group;
  }

  /// Sends lanes of a group into or out of functions; the others go on behind the operation.
  void go_to(const Running& run, const Operation& op, const std::vector<Destination>& places,
             Mask others, std::uint32_t depth) {
    const std::uint32_t own = warp_.groups[run.index].depth;
    warp_.groups.erase(warp_.groups.begin() + static_cast<std::ptrdiff_t>(run.index));
    if (others != 0)
      warp_.groups.push_back({run.pc + 1, others, Group::State::ready, false, 0, own});
    for (const Destination& place : places)
      warp_.groups.push_back({place.pc, place.lanes, Group::State::ready, false, 0, depth});
    if (places.size() + (others != 0 ? 1 : 0) > 1) observers_.diverges(warp_, op);
  }

  void observe(const Operation& op, Mask lanes) {
    ++warp_.executed;
    observers_.executes(warp_, op, lanes);
  }

  void execute(const Operation& op, Mask lanes) {
    warp_.active = lanes;
    warp_.whole = lanes == warp_.live;
    op.run(warp_, op);
  }

  /// Lanes that name different masks do not meet: a warp's tiles come here together.
  void execute_by_mask(const Operation& op, Mask lanes) {
    const auto* masks = source<std::uint32_t>(warp_, op.members);
    const Mask mask = masks[std::countr_zero(lanes)];
    Mask same = 0;
    for (int i = 0; i < warp_lanes; ++i) same |= static_cast<Mask>(masks[i] == mask) << i;
    execute(op, lanes & same);
    if (const Mask others = lanes & ~same; others != 0) execute_by_mask(op, others);
  }

  /// After a backward branch of a group: whether the turn, or the group's, is over.
  bool turn_over(Group& group) {
    if (warp_.polled) {
      warp_.polled = false;
      if (++warp_.spins >= spins_before_yield) {
        warp_.spins = 0;
        group.yielded = true;
        return true;
      }
    }
    if (warp_.executed < warp_.turn_ends) return false;
    warp_.looped = true;
    return true;
  }

  void split_by_table(std::size_t current, const Operation& op, std::uint32_t pc, Mask mask,
                      Mask lanes) {
    const auto& table = code_.jump_tables[static_cast<std::size_t>(op.target)];
    const auto* index = source<std::uint32_t>(warp_, op.a);
    const std::uint32_t depth = warp_.groups[current].depth;
    warp_.groups.erase(warp_.groups.begin() + static_cast<std::ptrdiff_t>(current));
    std::size_t parts = 0;
    const auto add = [&](std::uint32_t to, Mask who) {
      warp_.groups.push_back({to, who, Group::State::ready, false, 0, depth});
      ++parts;
    };
    if ((mask & ~lanes) != 0) add(pc + 1, mask & ~lanes);
    while (lanes != 0) {
      const std::uint32_t wanted = index[std::countr_zero(lanes)];
      Mask same = 0;
      for (int i = 0; i < warp_lanes; ++i) same |= static_cast<Mask>(index[i] == wanted) << i;
      same &= lanes;
      lanes &= ~same;
      // An index beyond the table is undefined; the last target keeps the emulator in the code.
      const std::size_t entry = std::min<std::size_t>(wanted, table.size() - 1);
      add(static_cast<std::uint32_t>(table[entry]), same);
    }
    if (parts > 1) observers_.diverges(warp_, op);
  }

  Warp& warp_;
  const Code& code_;
  const Operation* operations_;
  Observers& observers_;
  bool check_sync_;
  bool ahead_ = false;  ///< of other lanes of the warp
};

/// A budget that is spent ends the launch, with the place of one warp that still ran.
void charge(Worker& worker, Block& block, std::uint64_t executed) {
  const Launch& launch = *worker.launch;
  const std::uint64_t total = launch.progress->executed.fetch_add(executed) + executed;
  if (launch.budget == 0 || total <= launch.budget || launch.progress->stop.exchange(true)) return;
  const std::string message =
      "the kernel did not end within " + std::to_string(launch.budget) + " warp instructions";
  for (const bool waits : {false, true}) {
    for (Warp& warp : block.warps) {
      for (const Group& group : warp.groups) {
        if ((group.state == Group::State::barrier) != waits) continue;
        record_fault(warp, launch.code->operations[group.pc], FaultKind::budget,
                     std::countr_zero(group.mask), message);
        return;
      }
    }
  }
  // This block has just ended; others have not begun.
  record_fault(block.warps.front(), launch.code->operations.front(), FaultKind::budget, 0, message);
}

/// What a round of a block's warps came to. In a looping one they have all gone round in loops or
/// waited; in a spinning one these loops poll memory; in a stuck one all waited, and only other
/// blocks of the cluster may let them go on.
enum class BlockOutcome { finished, spinning, looping, running, stuck };

template <class Observers>
BlockOutcome run_block(Block& block, ObservedWorker<Observers>& worker) {
  const Code& code = *worker.code;
  bool ready = false;
  bool only_spins = true;
  bool only_loops = true;
  std::uint64_t executed = 0;
  for (Warp& warp : block.warps) {
    if (warp.groups.empty()) continue;
    const std::uint64_t before = warp.executed;
    warp.spun = warp.looped = false;
    const Outcome outcome = Turn<Observers>(warp, code, worker.observers).run();
    executed += warp.executed - before;
    if (outcome == Outcome::ready) {
      ready = true;
      only_spins = only_spins && warp.spun;
      only_loops = only_loops && warp.looped;
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
  if (!ready || !only_loops) return BlockOutcome::running;
  return only_spins ? BlockOutcome::spinning : BlockOutcome::looping;
}

template <class Observers>
std::uint64_t run_all(ObservedWorker<Observers>& worker) {
  const Launch& launch = *worker.launch;
  Residents<Observers> residents(worker);
  auto& resident = residents.blocks();
  bool waiting_for_others = true;  // nothing resident can go on by itself
  bool exhausted = false;
  std::uint64_t ended = 0;
  Stillness stillness(launch);
  while (!launch.progress->stop) {
    if (waiting_for_others && !exhausted && residents.has_room()) {
      const std::uint64_t next = launch.progress->next_cluster.fetch_add(1);
      if (next < launch.clusters)
        residents.start(launch.cluster_number(next));
      else
        exhausted = true;
    }
    if (resident.empty()) break;
    waiting_for_others = true;
    bool still = exhausted || !residents.has_room();
    bool any_stuck = false;
    stillness.round_begins();
    for (const auto& block : resident) block->cluster->moved = false;
    for (auto it = resident.begin(); it != resident.end();) {
      const BlockOutcome outcome = run_block(**it, worker);
      if (outcome == BlockOutcome::finished && !launch.progress->livelock) {
        if ((*it)->live == 0) ++ended;
        it = residents.end(it);
        still = false;
        continue;
      }
      (*it)->is_stuck = outcome == BlockOutcome::stuck;
      any_stuck = any_stuck || (*it)->is_stuck;
      const bool loops = outcome != BlockOutcome::running;
      const bool stands = loops && stands_still(**it);
      still = still && stands;
      waiting_for_others = waiting_for_others && (outcome == BlockOutcome::spinning || stands);
      ++it;
    }
    if (any_stuck && residents.end_deadlocked()) still = false;
    stillness.round_ends(still);
  }
  if (launch.progress->livelock) report_livelock(resident, *launch.code);
  stillness.worker_ends();
  return ended;
}

/// A turn of each warp of a block, in an order of the schedule's.
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
    const Outcome outcome = Turn<Observers, true>(*warp, *worker.code, worker.observers).run();
    executed += warp->executed - before;
    ready = ready || outcome == Outcome::ready;
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

/// Whether a warp of the block has spun since this was last asked.
bool has_spun(Block& block) {
  bool any = false;
  for (Warp& warp : block.warps) any |= std::exchange(warp.spun, false);
  return any;
}

/// As run_all(), with turns in the order of a schedule: of some blocks at once, and of more where
/// each of these spins, as it may wait for one that has not begun.
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
      // One that waits for its cluster waits for whom that waits for.
      if (has_spun(**it) || (*it)->is_stuck) spinning.insert(it->get());
      ++it;
    }
    if (any_stuck && residents.end_deadlocked()) spinning.clear();
  }
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
