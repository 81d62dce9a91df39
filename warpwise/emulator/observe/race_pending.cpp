#include <algorithm>
#include <bit>

#include "warpwise/emulator/observe/race_decision.hpp"

// Copies and products between their start and the end that a thread waits for.

namespace warpwise::emulator {

/// Starts an access that may take place until its operation ends. Until then no access is ordered
/// after it.
void Races::start(History& history, Warp& warp, const Operation& op, const Access& access) {
  if (owners_.size() >= Owner::most) forget_all();
  if (access.ends_by == Asynchronous::none) {
    Decision decision(*this, history, warp, op, access);
    return decision.run_in(decision.epoch());
  }
  Epoch& epoch = history.pending_epochs[warp.index];
  if (epoch == 0) epoch = new_epoch(history, Owner::never, warp.index);
  Decision decision(*this, history, warp, op, access);
  decision.run_in(epoch);
  PendingAccess pending;
  pending.ends_by = access.ends_by;
  pending.block = warp.block->linear;
  pending.warp = warp.index;
  pending.starter = access.starter;
  pending.owner = access.owner;
  pending.writes = access.kind != AccessKind::load;
  pending.bytes = access.bytes;
  pending.pieces = access.lanes;
  std::copy_n(access.addresses, warp_lanes, pending.addresses.begin());
  pending.epoch = epoch;
  pending.started = decision.epoch();
  if (!history.pending.add(pending)) end(pending, 0);
}

/// Gives another epoch to the touches that an ended access has in the shadow. Epoch 0 deletes them.
void Races::end(const PendingAccess& access, Epoch epoch) {
  Shadow& shadow = access.owner != nullptr ? history_of(*access.owner).shared : global_;
  for (Mask left = access.pieces; left != 0; left &= left - 1) {
    const Address begin = access.addresses[static_cast<std::size_t>(std::countr_zero(left))];
    for (Address at = begin & ~Address{3}; at < begin + static_cast<Address>(access.bytes);
         at += 4) {
      ShadowPage& page = shadow.page_of(at);
      const auto& touches = access.writes ? page.writes : page.reads;
      if (touches == nullptr) continue;
      std::uint64_t& touch = (*touches)[at / 4 % ShadowPage::words];
      if (Touch{touch}.epoch() != access.epoch) continue;  // overwritten by a later access
      touch = (touch & ~(Touch::epoch_bits | Touch::others)) | Touch::epoch_part(epoch);
    }
  }
}

void Races::on_group_commit(Warp& warp, Asynchronous what, Mask lanes) {
  if (is_on_) history_of(*warp.block).pending.on_group_commit(warp, what, lanes);
}

void Races::on_group_wait(Warp& warp, Asynchronous what, Mask lanes, std::uint32_t left,
                          bool reads_only) {
  if (!is_on_) return;
  History& history = history_of(*warp.block);
  const auto ended = history.pending.on_group_wait(warp, what, lanes, left, reads_only);
  if (ended.empty()) return;
  const Epoch now = epoch_of(history, warp.index);
  // The four warps of a product synchronise after it, and each of them knows that it has ended.
  for (const PendingAccess& access : ended)
    end(access, what == Asynchronous::product ? access.started : now);
}

void Races::on_mbarrier_track(Warp& warp, Asynchronous what, Mask lanes,
                              const MbarrierPhase& phase) {
  if (!is_on_) return;
  for (const PendingAccess& access :
       history_of(*warp.block).pending.on_mbarrier_track(warp, what, lanes, phase)) {
    if (access.owner == nullptr || access.owner == phase.owner)
      history_of(*phase.owner).pending.add_tracked(access);
    else
      end(access, 0);  // no thread of the destination can wait for it
  }
}

/// Gives the copies that end with a phase a new epoch of this warp, as if the warp had made their
/// accesses. Accesses of the mbarrier itself order this warp with others that see the phase's end.
void Races::on_mbarrier_end(Warp& warp, const MbarrierPhase& phase) {
  if (!is_on_) return;
  History& history = changing_history_of(*warp.block);
  const auto ended = history_of(*phase.owner).pending.on_mbarrier_end(phase);
  if (ended.empty()) return;
  if (owners_.size() + ended.size() > Owner::most) return forget_all();
  Epoch epoch = 0;
  Owner starter;
  for (const PendingAccess& access : ended) {
    if (epoch == 0 || starter.block != access.block || starter.warp != access.warp) {
      // The warp saw the phase's end by an access of the mbarrier, which has advanced the warp's
      // time. The copies belong to the time before.
      epoch = new_epoch(history, history.order.now(warp.index) - 1, warp.index);
      starter = {static_cast<std::uint32_t>(access.block), 0, access.warp};
      starters_[epoch] = starter;
    }
    end(access, epoch);
  }
  history.order.learns_of_last(warp, warp.active);
}

}  // namespace warpwise::emulator
