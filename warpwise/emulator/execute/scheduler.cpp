// The scheduler: lanes in the order of the lowest program counter, warps in turn, blocks one after
// another.

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <limits>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

void record_fault(Warp& warp, const Operation& op, FaultKind kind, int lane, std::string message) {
  FaultRecord& record = warp.worker->faults[{kind, op.index}];
  const std::uint64_t block = warp.block->linear;
  const std::uint32_t thread = warp.index * warp_lanes + static_cast<std::uint32_t>(lane);
  if (record.count == 0 || std::pair(block, thread) < std::pair(record.block, record.thread)) {
    record.block = block;
    record.thread = thread;
    record.message = std::move(message);
  }
  ++record.count;
}

namespace {

// A turn of a warp, in instructions: long, since a switch costs cache misses; short beside a
// budget.
constexpr std::uint64_t turn_instructions = 1 << 18;
// Iterations of a loop that polls memory, after which others get their turn. Fewer would tear lanes
// apart that wait for each other at the end of an ordinary loop with atomics.
constexpr int spins_before_yield = 256;
// Blocks that one worker keeps at once while they wait for each other.
constexpr std::size_t most_resident_blocks = 1024;

constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

enum class Outcome { finished, waiting, ready };

/// Joins groups at one place; returns the ready group with the lowest program counter, -1 if there
/// is none.
int pick(Warp& warp) {
  auto& groups = warp.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state == Group::State::barrier) continue;
    for (std::size_t k = i + 1; k < groups.size();) {
      if (groups[k].state != Group::State::barrier && groups[k].pc == groups[i].pc) {
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
    if (best < 0 || groups[i].pc < groups[static_cast<std::size_t>(best)].pc)
      best = static_cast<int>(i);
  }
  return best;
}

/// The lowest program counter beyond pc at which another group of the warp is.
std::uint32_t next_meeting(const Warp& warp, std::size_t current, std::uint32_t pc) {
  std::uint32_t limit = no_limit;
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    const Group& group = warp.groups[i];
    if (i != current && group.state != Group::State::barrier && group.pc > pc) {
      limit = std::min(limit, group.pc);
    }
  }
  return limit;
}

void finish_barrier(Block& block, std::uint32_t id, const Code& code) {
  Block::Barrier& barrier = block.barriers[id];
  for (Warp& warp : block.warps) {
    for (Group& group : warp.groups) {
      if (group.state != Group::State::barrier || group.barrier != id) continue;
      const Operation& op = code.operations[group.pc];
      const auto kind = static_cast<BarrierKind>(op.variant);
      warp.active = group.mask;
      warp.whole = false;
      if (kind == BarrierKind::reduce_popc) {
        auto* out = destination<std::uint32_t>(warp, op.dst);
        for (int i = 0; i < warp_lanes; ++i) {
          if ((group.mask >> i & 1) != 0) out[i] = barrier.count_true;
        }
      } else if (kind == BarrierKind::reduce_and) {
        set_predicate(warp, op.dst, barrier.count_true == barrier.votes ? all_lanes : 0);
      } else if (kind == BarrierKind::reduce_or) {
        set_predicate(warp, op.dst, barrier.count_true > 0 ? all_lanes : 0);
      }
      group.state = Group::State::ready;
      ++group.pc;
    }
  }
  barrier = {};
}

bool is_complete(const Block& block, const Block::Barrier& barrier) {
  if (barrier.arrived == 0) return false;
  return barrier.expected != 0 ? barrier.arrived >= barrier.expected
                               : barrier.arrived >= block.live;
}

/// `lanes` of the current group arrive at a barrier. Returns false when they need not wait.
bool arrive(Warp& warp, const Operation& op, Mask lanes, std::uint32_t& id) {
  Block& block = *warp.block;
  const int first = std::countr_zero(lanes);
  id = source<std::uint32_t>(warp, op.a)[first] & 15;
  Block::Barrier& barrier = block.barriers[id];
  const auto count = static_cast<std::uint32_t>(std::popcount(lanes));
  if (op.b != Operation::none) {
    // A barrier of some warps counts whole warps, the last of a block included.
    barrier.expected = source<std::uint32_t>(warp, op.b)[first];
    barrier.arrived += lanes == warp.live ? warp_lanes : count;
  } else {
    barrier.arrived += count;
  }
  const auto kind = static_cast<BarrierKind>(op.variant);
  if (kind != BarrierKind::sync && kind != BarrierKind::arrive) {
    Mask value = predicate(warp, op.c);
    if (op.offset != 0) value = ~value;
    barrier.votes += count;
    barrier.count_true += static_cast<std::uint32_t>(std::popcount(value & lanes));
  }
  return kind != BarrierKind::arrive;
}

void leave(Warp& warp, Mask lanes, const Code& code) {
  Block& block = *warp.block;
  warp.live &= ~lanes;
  block.live -= static_cast<std::uint32_t>(std::popcount(lanes));
  for (std::uint32_t id = 0; id < block.barriers.size(); ++id) {
    if (block.barriers[id].expected == 0 && is_complete(block, block.barriers[id])) {
      finish_barrier(block, id, code);
    }
  }
}

/// Lanes of a `.sync` operation's member mask that are still to come, of those that have not
/// exited.
Mask missing_members(const Warp& warp, const Operation& op, Mask lanes) {
  if (lanes == 0) return 0;
  const Mask members = source<std::uint32_t>(warp, op.members)[std::countr_zero(lanes)];
  return members & warp.live & ~lanes;
}

/// One warp's turn.
template <bool counting>
class Turn {
 public:
  Turn(Warp& warp, const Code& code)
      : warp_(warp), code_(code), operations_(code.operations.data()),
        counts_(warp.worker->operations.data()), deadline_(warp.executed + turn_instructions) {}

  Outcome run() {
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
        warp_.spun = true;
        return Outcome::ready;
      }
      // Lanes that wait for others which will not come: they go on alone.
      int forced = -1;
      for (std::size_t i = 0; i < warp_.groups.size(); ++i) {
        if (warp_.groups[i].state != Group::State::converging) continue;
        if (forced < 0 || warp_.groups[i].pc < warp_.groups[static_cast<std::size_t>(forced)].pc) {
          forced = static_cast<int>(i);
        }
      }
      if (forced < 0) return Outcome::waiting;
      warp_.groups[static_cast<std::size_t>(forced)].state = Group::State::ready;
      if (!run_group(static_cast<std::size_t>(forced), true)) return Outcome::ready;
    }
  }

 private:
  /// Runs a group until it ends, waits, splits or meets another; false when the turn is over.
  bool run_group(std::size_t current, bool forced) {
    std::uint32_t pc = warp_.groups[current].pc;
    Mask mask = warp_.groups[current].mask;
    bool alone = warp_.groups.size() == 1;
    std::uint32_t limit = alone ? no_limit : next_meeting(warp_, current, pc);
    const auto save = [&] { warp_.groups[current].pc = pc; };
    while (pc < limit) {
      const Operation& op = operations_[pc];
      Mask lanes = mask;
      if (op.guard != Operation::none) {
        const Mask guard = predicate(warp_, op.guard);
        lanes &= op.guard_negated ? ~guard : guard;
      }
      switch (op.control) {
        case Control::plain:
          count(pc, lanes);
          if (lanes != 0) execute(op, lanes);
          ++pc;
          break;
        case Control::converge:
          if (!forced && !alone && missing_members(warp_, op, lanes) != 0) {
            save();
            warp_.groups[current].state = Group::State::converging;
            return true;
          }
          forced = false;
          count(pc, lanes);
          if (lanes != 0) execute(op, lanes);
          ++pc;
          break;
        case Control::branch: {
          count(pc, lanes);
          const auto target = static_cast<std::uint32_t>(op.target);
          const Mask others = mask & ~lanes;
          if constexpr (counting) {
            counts_[pc].divergent += lanes != 0 && others != 0 ? 1 : 0;
          }
          if (lanes == 0) {
            ++pc;
            break;
          }
          if (others != 0) {
            warp_.groups[current].pc = target;
            warp_.groups[current].mask = lanes;
            warp_.groups.push_back({pc + 1, others, Group::State::ready, false, 0});
            if (target > pc || !turn_over(warp_.groups[current])) return true;
            return warp_.groups[current].yielded;
          }
          const bool backwards = target <= pc;
          pc = target;
          if (backwards && turn_over(warp_.groups[current])) {
            save();
            // A spin gives way to the warp's other lanes first.
            return warp_.groups[current].yielded;
          }
          if (!alone) {
            save();
            return true;
          }
          break;
        }
        case Control::branch_indexed: {
          count(pc, lanes);
          split_by_table(current, op, pc, mask, lanes);
          return true;
        }
        case Control::exit:
          count(pc, lanes);
          ++pc;
          mask &= ~lanes;
          save();
          warp_.groups[current].mask = mask;
          if (mask == 0)
            warp_.groups.erase(warp_.groups.begin() + static_cast<std::ptrdiff_t>(current));
          leave(warp_, lanes, code_);
          if (mask == 0) return true;
          break;
        case Control::barrier: {
          count(pc, lanes);
          if (lanes == 0) {
            ++pc;
            break;
          }
          std::uint32_t id = 0;
          const bool waits = arrive(warp_, op, lanes, id);
          if (waits) {
            warp_.groups[current] = {pc, lanes, Group::State::barrier, false, id};
            if ((mask & ~lanes) != 0) {
              warp_.groups.push_back({pc + 1, mask & ~lanes, Group::State::ready, false, 0});
            }
          }
          if (is_complete(*warp_.block, warp_.block->barriers[id]))
            finish_barrier(*warp_.block, id, code_);
          if (waits) return true;
          ++pc;
          break;
        }
        case Control::trap:
          count(pc, lanes);
          if (lanes != 0) {
            record_fault(warp_, op, FaultKind::trap, std::countr_zero(lanes),
                         "the kernel executed " + code_.names[pc]);
            warp_.worker->launch->progress->stop = true;
            save();
            return false;
          }
          ++pc;
          break;
      }
    }
    save();
    return true;
  }

  void count(std::uint32_t pc, Mask lanes) {
    ++warp_.executed;
    if constexpr (counting) {
      ++counts_[pc].warps;
      // Mostly all lanes; to count the bits of others is a call on the oldest CPUs.
      counts_[pc].threads +=
          lanes == all_lanes ? warp_lanes : static_cast<std::uint64_t>(std::popcount(lanes));
    }
  }

  void execute(const Operation& op, Mask lanes) {
    warp_.active = lanes;
    warp_.whole = lanes == warp_.live;
    op.run(warp_, op);
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
    return warp_.executed >= deadline_;
  }

  void split_by_table(std::size_t current, const Operation& op, std::uint32_t pc, Mask mask,
                      Mask lanes) {
    const auto& table = code_.jump_tables[static_cast<std::size_t>(op.target)];
    const auto* index = source<std::uint32_t>(warp_, op.a);
    warp_.groups.erase(warp_.groups.begin() + static_cast<std::ptrdiff_t>(current));
    std::size_t parts = 0;
    const auto add = [&](std::uint32_t to, Mask who) {
      warp_.groups.push_back({to, who, Group::State::ready, false, 0});
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
    if constexpr (counting) counts_[pc].divergent += parts > 1 ? 1 : 0;
  }

  Warp& warp_;
  const Code& code_;
  const Operation* operations_;
  OperationCounts* counts_;
  std::uint64_t deadline_;
};

/// Lane i's value of a special register in warp `index` of any block; those of the block itself
/// come later.
std::uint32_t special_value(Special which, const Launch& launch, std::uint32_t index,
                            std::uint32_t i) {
  const std::uint32_t thread = index * warp_lanes + i;
  const std::uint32_t bit = 1U << i;
  switch (which) {
    case Special::tid_x: return thread % launch.block.x;
    case Special::tid_y: return thread / launch.block.x % launch.block.y;
    case Special::tid_z: return thread / launch.block.x / launch.block.y;
    case Special::ntid_x: return launch.block.x;
    case Special::ntid_y: return launch.block.y;
    case Special::ntid_z: return launch.block.z;
    case Special::nctaid_x: return launch.grid.x;
    case Special::nctaid_y: return launch.grid.y;
    case Special::nctaid_z: return launch.grid.z;
    case Special::laneid: return i;
    case Special::warpid: return index;
    case Special::nwarpid:
      return static_cast<std::uint32_t>((launch.block.count() + warp_lanes - 1) / warp_lanes);
    case Special::nsmid: return 1;
    case Special::gridid: return 1;
    case Special::lanemask_eq: return bit;
    case Special::lanemask_lt: return bit - 1;
    case Special::lanemask_le: return bit | (bit - 1);
    case Special::lanemask_gt: return ~(bit | (bit - 1));
    case Special::lanemask_ge: return ~(bit - 1);
    case Special::dynamic_smem_size: return static_cast<std::uint32_t>(launch.dynamic_shared_bytes);
    case Special::total_smem_size: return static_cast<std::uint32_t>(launch.shared_bytes);
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
    case Special::smid:
    case Special::zero: return 0;
  }
  return 0;
}

constexpr std::size_t special_bytes = sizeof(std::uint32_t) * warp_lanes;

/// What all blocks of a launch have in common, computed once: a block of one warp may be but a few
/// instructions.
void compute_specials(Block& block, const Launch& launch) {
  const auto& specials = launch.code->specials;
  block.specials = AlignedBytes(special_bytes * specials.size() * block.warps.size());
  auto* to = reinterpret_cast<std::uint32_t*>(block.specials.data());
  for (std::uint32_t w = 0; w < block.warps.size(); ++w) {
    for (const auto& special : specials) {
      for (std::uint32_t i = 0; i < warp_lanes; ++i)
        *to++ = special_value(special.which, launch, w, i);
    }
  }
}

void set_specials(Warp& warp, const Code& code) {
  const Block& block = *warp.block;
  const std::byte* from = block.specials.data() + special_bytes * code.specials.size() * warp.index;
  for (const auto& special : code.specials) {
    auto* lanes = destination<std::uint32_t>(warp, special.slot);
    switch (special.which) {
      case Special::ctaid_x: std::fill_n(lanes, warp_lanes, block.index.x); break;
      case Special::ctaid_y: std::fill_n(lanes, warp_lanes, block.index.y); break;
      case Special::ctaid_z: std::fill_n(lanes, warp_lanes, block.index.z); break;
      default: std::memcpy(lanes, from, special_bytes);
    }
    from += special_bytes;
  }
}

void start_block(Block& block, Worker& worker, std::uint64_t linear) {
  const Launch& launch = *worker.launch;
  const Code& code = *launch.code;
  const auto threads = static_cast<std::uint32_t>(launch.block.count());
  const std::uint32_t warps = (threads + warp_lanes - 1) / warp_lanes;
  if (block.warps.empty()) {
    block.warps.resize(warps);
    block.registers = AlignedBytes(code.register_bytes * warps);
    block.shared = AlignedBytes(launch.shared_bytes);
    block.local = AlignedBytes(code.local_bytes * warps * warp_lanes);
    compute_specials(block, launch);
  }
  // Registers keep what they held, as a GPU's do.
  std::memset(block.shared.data(), 0, block.shared.size());
  std::memset(block.local.data(), 0, block.local.size());
  block.linear = linear;
  block.index = {static_cast<std::uint32_t>(linear % launch.grid.x),
                 static_cast<std::uint32_t>(linear / launch.grid.x % launch.grid.y),
                 static_cast<std::uint32_t>(linear / launch.grid.x / launch.grid.y)};
  block.live = threads;
  block.barriers = {};
  block.stopped = false;
  for (std::uint32_t w = 0; w < warps; ++w) {
    Warp& warp = block.warps[w];
    const std::uint32_t first = w * warp_lanes;
    const std::uint32_t lanes = std::min<std::uint32_t>(warp_lanes, threads - first);
    std::vector<Group> groups = std::move(warp.groups);
    warp = Warp{};
    groups.clear();
    warp.groups = std::move(groups);
    warp.live = lanes == warp_lanes ? all_lanes : (Mask{1} << lanes) - 1;
    warp.registers = block.registers.data() + code.register_bytes * w;
    warp.constants = launch.constants.data();
    warp.index = w;
    warp.block = &block;
    warp.worker = &worker;
    warp.groups.push_back({0, warp.live, Group::State::ready, false, 0});
    set_specials(warp, code);
  }
}

void report_deadlock(Block& block, const Code& code) {
  for (Warp& warp : block.warps) {
    for (const Group& group : warp.groups) {
      const Operation& op = code.operations[group.pc];
      const auto waiting = block.barriers[group.barrier].arrived;
      const std::uint32_t expected = block.barriers[group.barrier].expected;
      record_fault(warp, op, FaultKind::deadlock, std::countr_zero(group.mask),
                   std::to_string(waiting) + " threads wait at barrier " +
                       std::to_string(group.barrier) + " for " +
                       std::to_string(expected != 0 ? expected : block.live) +
                       ", and no other thread of the block can go on");
    }
  }
}

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

enum class BlockOutcome { finished, spinning, running };

template <bool counting>
BlockOutcome run_block(Block& block, Worker& worker) {
  const Code& code = *worker.code;
  bool ready = false;
  bool only_spins = true;
  std::uint64_t executed = 0;
  for (Warp& warp : block.warps) {
    if (warp.groups.empty()) continue;
    const std::uint64_t before = warp.executed;
    warp.spun = false;
    const Outcome outcome = Turn<counting>(warp, code).run();
    executed += warp.executed - before;
    if (outcome == Outcome::ready) {
      ready = true;
      only_spins = only_spins && warp.spun;
    } else if (warp.executed != before) {
      only_spins = false;
    }
    if (worker.launch->progress->stop) break;
  }
  charge(worker, block, executed);
  if (worker.launch->progress->stop) return BlockOutcome::finished;
  if (block.live == 0) return BlockOutcome::finished;
  if (!ready && executed == 0) {
    report_deadlock(block, code);
    return BlockOutcome::finished;
  }
  return ready && only_spins ? BlockOutcome::spinning : BlockOutcome::running;
}

template <bool counting>
void run_all(Worker& worker) {
  const Launch& launch = *worker.launch;
  const std::uint64_t blocks = launch.grid.count();
  std::deque<std::unique_ptr<Block>> resident;
  std::vector<std::unique_ptr<Block>> idle;
  bool waiting_for_others = true;  // nothing resident can go on by itself
  bool exhausted = false;
  while (!launch.progress->stop) {
    if (waiting_for_others && !exhausted && resident.size() < most_resident_blocks) {
      const std::uint64_t next = launch.progress->next_block.fetch_add(1);
      if (next < blocks) {
        std::unique_ptr<Block> block;
        if (idle.empty()) {
          block = std::make_unique<Block>();
        } else {
          block = std::move(idle.back());
          idle.pop_back();
        }
        start_block(*block, worker, next);
        resident.push_back(std::move(block));
      } else {
        exhausted = true;
      }
    }
    if (resident.empty()) break;
    waiting_for_others = true;
    for (auto it = resident.begin(); it != resident.end();) {
      const BlockOutcome outcome = run_block<counting>(**it, worker);
      if (outcome == BlockOutcome::finished) {
        idle.push_back(std::move(*it));
        it = resident.erase(it);
        continue;
      }
      waiting_for_others = waiting_for_others && outcome == BlockOutcome::spinning;
      ++it;
    }
  }
}

}  // namespace

void run_blocks(Worker& worker) {
  if (worker.counting)
    run_all<true>(worker);
  else
    run_all<false>(worker);
}

}  // namespace warpwise::emulator
