#pragma once

// Internal to the emulator: the turn of one warp.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/execute/barrier.hpp"
#include "warpwise/emulator/execute/calls.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/groups.hpp"
#include "warpwise/emulator/execute/schedule.hpp"
#include "warpwise/emulator/execute/sync_check.hpp"
#include "warpwise/emulator/host_code/host_code.hpp"

namespace warpwise::emulator {

// Limit of a warp's turn in instructions: long, because a switch costs cache misses, and short
// compared to a budget.
inline constexpr std::uint64_t turn_instructions = 1 << 18;
// Number of iterations of a polling loop after which the other lanes and warps get their turn.
// Loops with atomics look like polling. A smaller number would separate the lanes of many such
// loops that wait for nothing.
inline constexpr int spins_before_yield = 256;

enum class TurnEnd { finished, waiting, ready };

/// One warp's turn. \tparam shuffled  the turn may end after any instruction, by the worker's
/// schedule
template <class Observers, bool shuffled = false>
class Turn {
 public:
  Turn(Warp& warp, const Code& code, Observers& observers)
      : warp_(warp), code_(code), operations_(code.operations.data()), observers_(observers),
        check_sync_(warp.worker->launch->checks.has(Check::sync)),
        host_code_(warp.worker->launch->host_code != nullptr
                       ? warp.worker->launch->host_code->ready()
                       : nullptr),
        began_(warp.executed) {
    if constexpr (shuffled)
      warp.turn_ends = warp.executed + warp.worker->schedule->turn_instructions();
    else
      warp.turn_ends = warp.executed + (warp.worker->launch->pace ? 1 : turn_instructions);
  }

  TurnEnd run() {
    if constexpr (shuffled) {
      if (run_some_lanes()) return TurnEnd::ready;
    }
    for (;;) {
      const int best = pick(warp_);
      if (best >= 0) {
        if (!run_group(static_cast<std::size_t>(best), false)) return TurnEnd::ready;
        continue;
      }
      if (warp_.groups.empty()) return TurnEnd::finished;
      bool any_yielded = false;
      for (Group& group : warp_.groups) {
        any_yielded |= group.yielded && group.state == Group::State::ready;
        group.yielded = false;
      }
      if (any_yielded) {
        warp_.spun = warp_.looped = true;
        return TurnEnd::ready;
      }
      // All lanes wait for lanes that will not come, so the group that goes first continues without
      // them.
      int forced = -1;
      for (std::size_t i = 0; i < warp_.groups.size(); ++i) {
        if (warp_.groups[i].state != Group::State::converging) continue;
        if (forced < 0 ||
            goes_before(warp_.groups[i], warp_.groups[static_cast<std::size_t>(forced)])) {
          forced = static_cast<int>(i);
        }
      }
      if (forced < 0) return TurnEnd::waiting;
      warp_.groups[static_cast<std::size_t>(forced)].state = Group::State::ready;
      if (!run_group(static_cast<std::size_t>(forced), true)) return TurnEnd::ready;
    }
  }

 private:
  /// The running group. The warp's own copy of the group is outdated until save().
  struct Running {
    std::size_t index = 0;
    std::uint32_t pc = 0;
    Mask mask = 0;
    bool alone = true;    ///< the only group of the warp
    bool forced = false;  ///< runs without the lanes for which it should wait
  };

  enum class Then { go_on, next_group, end_turn };

  /// Runs a group until it ends, waits, splits or meets another. Returns false when the turn is
  /// over.
  bool run_group(std::size_t index, bool forced) {
    Running run{index, warp_.groups[index].pc, warp_.groups[index].mask, warp_.groups.size() == 1,
                forced};
    const std::uint32_t limit = run.alone ? no_limit : next_meeting(warp_, index, run.pc);
    while (run.pc < limit) {
      if constexpr (!shuffled) {
        // Machine code does not track undefined values. It also contains no operation at which
        // lanes wait for each other, and a forced group starts at such an operation.
        if (host_code_ != nullptr && warp_.poisoned == 0 && !run.forced) {
          run.pc = host_code_->run(warp_, run.pc, run.mask, limit);
          if (run.pc >= limit) break;
        }
      }
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
        observers_.on_guard(warp_, op, run.mask);
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
        case Control::branch_indexed: then = branch_indexed(run, op, lanes); break;
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

  // Returns true for operations that lanes may execute ahead of the warp's other lanes. All other
  // operations need the lanes together.
  static bool may_go_ahead(const Operation& op) {
    return op.control == Control::plain || op.control == Control::branch;
  }

  /// Sometimes lets some lanes of a warp run ahead of the others, as threads may. Returns false if
  /// all lanes stay together.
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

  /// Returns the lane that wrote an address; the last one if several did.
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
      observers_.on_converge(warp_, op, lanes);
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
      observers_.on_diverge(warp_, op);
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

  /// Splits a group into lanes that branch and others that continue after the branch.
  Then split(const Running& run, std::uint32_t target, Mask lanes, Mask others) {
    warp_.groups[run.index].pc = target;
    warp_.groups[run.index].mask = lanes;
    const std::uint32_t depth = warp_.groups[run.index].depth;
    warp_.groups.push_back({run.pc + 1, others, Group::State::ready, false, 0, depth});
    if (target > run.pc || !turn_over(warp_.groups[run.index])) return Then::next_group;
    return after_turn(run);
  }

  [[gnu::noinline]] Then branch_indexed(Running run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    const auto parts = split_by_table(run.index, op, run.pc, run.mask, lanes);
    const auto back = std::find_if(parts.begin(), parts.end(),
                                   [&](const Group& each) { return each.pc <= run.pc; });
    if (back == parts.end() || !turn_over(*back)) return Then::next_group;
    return back->yielded ? Then::next_group : Then::end_turn;
  }

  /// Ends the turn. After a spin, first lets the warp's other lanes run.
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

  // branch_indexed(), barrier() and trap() are out of line and take a copy of Running, so that
  // run_group() can keep its own in registers. After barrier() and trap(), run_group() goes on to
  // the next instruction.
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
    observers_.on_barrier_arrive(warp_, op, lanes, id);
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

  /// The last warp of a warpgroup that arrives executes the operation for all four. No warp may
  /// continue before that, because it might let another thread overwrite operands.
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
    // Compilers put a trap behind a failed assertion. The assertion is reported already, so the
    // trap is no further fault.
    const bool is_of_assertion = std::ranges::any_of(warp_.worker->faults, [](const auto& each) {
      return each.first.first == FaultKind::assertion;
    });
    if (!is_of_assertion) {
      record_fault(warp_, op, FaultKind::trap, std::countr_zero(lanes),
                   "the kernel executed " + code_.names[run.pc]);
    }
    warp_.worker->launch->progress->stop = true;
    save(run);
    return Then::end_turn;
  }

  [[gnu::noinline]] Then call(Running run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    const auto& functions = enter_functions(warp_, op, lanes);
    if (functions.empty() && lanes != 0) {
      save(run);
      return Then::end_turn;
    }
    go_to(run, op, functions, run.mask & ~lanes, warp_.groups[run.index].depth + 1);
    // A turn may also end at a call, because a recursion may have no backward branch.
    return warp_.executed >= warp_.turn_ends ? Then::end_turn : Then::next_group;
  }

  [[gnu::noinline]] Then leave_function(Running run, const Operation& op, Mask lanes) {
    observe(op, lanes);
    go_to(run, op, leave_functions(warp_, lanes), run.mask & ~lanes,
          warp_.groups[run.index].depth - 1);
    return Then::next_group;
  }

  /// Sends lanes of a group into or out of functions; the others continue after the operation.
  void go_to(const Running& run, const Operation& op, const std::vector<Destination>& places,
             Mask others, std::uint32_t depth) {
    if (warp_.groups.size() == 1 && others == 0 && places.size() == 1) {
      warp_.groups[0] = {places[0].pc, places[0].lanes, Group::State::ready, false, 0, depth};
      return;
    }
    const std::uint32_t own = warp_.groups[run.index].depth;
    warp_.groups.erase(warp_.groups.begin() + static_cast<std::ptrdiff_t>(run.index));
    if (others != 0)
      warp_.groups.push_back({run.pc + 1, others, Group::State::ready, false, 0, own});
    for (const Destination& place : places)
      warp_.groups.push_back({place.pc, place.lanes, Group::State::ready, false, 0, depth});
    if (places.size() + (others != 0 ? 1 : 0) > 1) observers_.on_diverge(warp_, op);
  }

  void observe(const Operation& op, Mask lanes) {
    ++warp_.executed;
    observers_.on_execute(warp_, op, lanes);
  }

  void execute(const Operation& op, Mask lanes) {
    warp_.active = lanes;
    warp_.whole = lanes == warp_.live;
    op.run(warp_, op);
  }

  /// Executes an operation once for each member mask, because lanes with different masks (tiles of
  /// a warp) may arrive together.
  void execute_by_mask(const Operation& op, Mask lanes) {
    const auto* masks = source<std::uint32_t>(warp_, op.members);
    const Mask mask = masks[std::countr_zero(lanes)];
    Mask same = 0;
    for (int i = 0; i < warp_lanes; ++i) same |= static_cast<Mask>(masks[i] == mask) << i;
    execute(op, lanes & same);
    if (const Mask others = lanes & ~same; others != 0) execute_by_mask(op, others);
  }

  /// Returns true if the turn, or the group's part of it, ends at a backward branch.
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
    // With LaunchOptions::pace, turns are short, and the end of one is no sign of a loop. One turn
    // counts as looped for every turn_instructions instructions of the warp.
    warp_.looped = warp_.executed / turn_instructions != began_ / turn_instructions;
    return true;
  }

  /// Splits a group by the targets of its lanes. Returns the new groups.
  std::span<Group> split_by_table(std::size_t current, const Operation& op, std::uint32_t pc,
                                  Mask mask, Mask lanes) {
    const auto& table = code_.jump_tables[static_cast<std::size_t>(op.target)];
    const auto* index = source<std::uint32_t>(warp_, op.a);
    const std::uint32_t depth = warp_.groups[current].depth;
    warp_.groups.erase(warp_.groups.begin() + static_cast<std::ptrdiff_t>(current));
    const std::size_t before = warp_.groups.size();
    const auto add = [&](std::uint32_t to, Mask who) {
      warp_.groups.push_back({to, who, Group::State::ready, false, 0, depth});
    };
    if ((mask & ~lanes) != 0) add(pc + 1, mask & ~lanes);
    while (lanes != 0) {
      const std::uint32_t wanted = index[std::countr_zero(lanes)];
      Mask same = 0;
      for (int i = 0; i < warp_lanes; ++i) same |= static_cast<Mask>(index[i] == wanted) << i;
      same &= lanes;
      lanes &= ~same;
      // PTX leaves an index beyond the table undefined. The emulator then takes the last target.
      const std::size_t entry = std::min<std::size_t>(wanted, table.size() - 1);
      add(static_cast<std::uint32_t>(table[entry]), same);
    }
    const std::span parts = std::span(warp_.groups).subspan(before);
    if (parts.size() > 1) observers_.on_diverge(warp_, op);
    return parts;
  }

  Warp& warp_;
  const Code& code_;
  const Operation* operations_;
  Observers& observers_;
  bool check_sync_;
  const HostCode* host_code_;
  const std::uint64_t began_;  ///< instructions that the warp had executed before the turn
  bool ahead_ = false;         ///< runs ahead of other lanes of the warp
};

}  // namespace warpwise::emulator
