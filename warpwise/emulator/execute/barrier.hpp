#pragma once

// Internal to the emulator: barriers of a block. They count threads, as GPUs do since CC 7.0.

#include <bit>
#include <cstdint>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/execute/cluster.hpp"
#include "warpwise/emulator/execute/sync_check.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {

inline bool is_complete(const Block& block, const Block::Barrier& barrier) {
  if (barrier.arrived == 0) return false;
  return barrier.expected != 0 ? barrier.arrived >= barrier.expected
                               : barrier.arrived >= block.live;
}

/// Writes a reduction's result to the lanes that waited at a barrier.
inline void write_reduction(Warp& warp, const Operation& op, const Block::Barrier& barrier,
                            Mask lanes) {
  warp.active = lanes;
  warp.whole = false;
  switch (flags_of<BarrierFlags>(op).kind) {
    case BarrierKind::reduce_popc: {
      auto* out = destination<std::uint32_t>(warp, op.dst);
      for (int i = 0; i < warp_lanes; ++i) {
        if ((lanes >> i & 1) != 0) out[i] = barrier.count_true;
      }
      break;
    }
    case BarrierKind::reduce_and:
      set_predicate(warp, op.dst, barrier.count_true == barrier.votes ? all_lanes : 0);
      break;
    case BarrierKind::reduce_or:
      set_predicate(warp, op.dst, barrier.count_true > 0 ? all_lanes : 0);
      break;
    case BarrierKind::sync:
    case BarrierKind::arrive:
    case BarrierKind::cluster_arrive:
    case BarrierKind::cluster_wait: break;
  }
}

/// Releases all lanes that wait at a barrier.
template <class Observers>
void finish_barrier(Block& block, std::uint32_t id, const Code& code, Observers& observers) {
  Block::Barrier& barrier = block.barriers[id];
  if (block.warps.front().worker->launch->checks.has(Check::sync)) check_barrier(block, id);
  for (Warp& warp : block.warps) {
    for (Group& group : warp.groups) {
      if (group.state != Group::State::barrier || group.barrier != id) continue;
      write_reduction(warp, code.operations[group.pc], barrier, group.mask);
      observers.on_barrier_release(warp, group.mask, id);
      group.state = Group::State::ready;
      ++group.pc;
    }
  }
  observers.on_barrier_complete(block, id);
  barrier = {};
}

inline constexpr std::uint32_t warpgroup_warps = 4;

/// Lets four warps that have waited for each other execute their operation together. No warp
/// continues before all four are done, because it could overwrite operands of another warp.
template <class Observers>
void finish_warpgroup(Block& block, std::uint32_t id, const Code& code, Observers& observers) {
  block.barriers[id] = {};
  const std::size_t first = (id - first_warpgroup_barrier) * warpgroup_warps;
  const auto each = [&](const auto& body) {
    for (std::size_t w = first; w < first + warpgroup_warps; ++w) {
      for (Group& group : block.warps[w].groups) {
        if (group.state == Group::State::barrier && group.barrier == id)
          body(block.warps[w], group, code.operations[group.pc]);
      }
    }
  };
  each([&](Warp& warp, const Group& group, const Operation& op) {
    warp.active = group.mask;
    warp.whole = group.mask == warp.live;
    op.run(warp, op);
    observers.on_barrier_arrive(warp, op, group.mask, id);
  });
  each([&](Warp& warp, Group& group, const Operation&) {
    observers.on_barrier_release(warp, group.mask, id);
    group.state = Group::State::ready;
    ++group.pc;
  });
  observers.on_barrier_complete(block, id);
}

/// Lets `lanes` of the current group arrive at a barrier, and returns the barrier's number.
inline std::uint32_t arrive(Warp& warp, const Operation& op, Mask lanes) {
  const int first = std::countr_zero(lanes);
  const std::uint32_t id = source<std::uint32_t>(warp, op.a)[first] & 15;
  Block::Barrier& barrier = warp.block->barriers[id];
  const auto count = static_cast<std::uint32_t>(std::popcount(lanes));
  if (op.b != Operation::none) {
    // A barrier with a thread count counts whole warps: a partial last warp counts as 32 threads.
    barrier.expected = source<std::uint32_t>(warp, op.b)[first];
    barrier.arrived += lanes == warp.live ? warp_lanes : count;
  } else {
    barrier.arrived += count;
  }
  if (op.c != Operation::none) {
    const Mask value = predicate(warp, op.c, op.c_negated);
    barrier.votes += count;
    barrier.count_true += static_cast<std::uint32_t>(std::popcount(value & lanes));
  }
  return id;
}

/// Removes exiting lanes from the block's barriers, which then no longer wait for them.
template <class Observers>
void leave(Warp& warp, const Operation& op, Mask lanes, const Code& code, Observers& observers) {
  Block& block = *warp.block;
  if (warp.worker->launch->checks.has(Check::sync)) note_exit(warp, op, lanes);
  observers.on_exit(warp, lanes);
  warp.live &= ~lanes;
  block.live -= static_cast<std::uint32_t>(std::popcount(lanes));
  leave_cluster(warp, lanes, observers);
  for (std::uint32_t id = 0; id < block.barriers.size(); ++id) {
    const Block::Barrier& barrier = block.barriers[id];
    if (barrier.arrived != 0 && barrier.expected == 0 && is_complete(block, barrier))
      finish_barrier(block, id, code, observers);
  }
}

}  // namespace warpwise::emulator
