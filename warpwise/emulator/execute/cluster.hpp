#pragma once

// Internal to the emulator: the barrier of a cluster's blocks. It counts threads. A thread arrives
// with one instruction and waits with a later one. Exited threads do not count.

#include <bit>
#include <cstdint>

#include "warpwise/emulator/execute/sync_check.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {

/// Ends the barrier's phase if all threads have arrived, and releases the waiting threads.
template <class Observers>
void finish_cluster_barrier(Cluster& cluster, Observers& observers) {
  if (cluster.arrived == 0 || cluster.arrived < cluster.live) return;
  cluster.arrived = 0;
  bool is_told = false;
  for (Block* block : cluster.blocks) {
    if (block == nullptr) continue;
    if (!is_told) observers.on_barrier_complete(*block, cluster_barrier);
    is_told = true;
    for (Warp& warp : block->warps) {
      warp.cluster_arrived = 0;
      for (Group& group : warp.groups) {
        if (group.state != Group::State::barrier || group.barrier != cluster_barrier) continue;
        observers.on_barrier_release(warp, group.mask, cluster_barrier);
        group.state = Group::State::ready;
        ++group.pc;
      }
    }
  }
}

template <class Observers>
void arrive_at_cluster(Warp& warp, const Operation& op, Mask lanes, Observers& observers) {
  if (warp.worker->launch->checks.has(Check::sync)) check_cluster_arrival(warp, op, lanes);
  observers.on_barrier_arrive(warp, op, lanes, cluster_barrier);
  Cluster& cluster = *warp.block->cluster;
  cluster.arrived += static_cast<std::uint32_t>(std::popcount(lanes & ~warp.cluster_arrived));
  warp.cluster_arrived |= lanes;
  warp.cluster_owes |= lanes;
  finish_cluster_barrier(cluster, observers);
}

/// Lets lanes wait at the barrier. Returns the lanes that have to wait, because the phase in which
/// they arrived has not ended.
template <class Observers>
Mask wait_at_cluster(Warp& warp, const Operation& op, Mask lanes, Observers& observers) {
  if (warp.worker->launch->checks.has(Check::sync)) check_cluster_wait(warp, op, lanes);
  warp.cluster_owes &= ~lanes;
  const Mask waiting = lanes & warp.cluster_arrived;
  if (waiting != lanes) observers.on_barrier_release(warp, lanes & ~waiting, cluster_barrier);
  return waiting;
}

/// Removes exiting lanes from the barrier's counts.
template <class Observers>
void leave_cluster(Warp& warp, Mask lanes, Observers& observers) {
  Cluster& cluster = *warp.block->cluster;
  cluster.live -= static_cast<std::uint32_t>(std::popcount(lanes));
  cluster.arrived -= static_cast<std::uint32_t>(std::popcount(lanes & warp.cluster_arrived));
  warp.cluster_arrived &= ~lanes;
  finish_cluster_barrier(cluster, observers);
}

}  // namespace warpwise::emulator
