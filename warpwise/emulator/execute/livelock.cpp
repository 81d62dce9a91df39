#include "warpwise/emulator/execute/livelock.hpp"

#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/faults.hpp"

namespace warpwise::emulator {
namespace {

// The low 16 bits of Progress::still are the number of workers whose blocks stand still. The higher
// bits are an epoch. Each change in any worker increments the epoch.
constexpr std::uint64_t one_epoch = std::uint64_t{1} << 16;
std::uint64_t epoch_of(std::uint64_t still) { return still / one_epoch; }
std::uint64_t count_of(std::uint64_t still) { return still % one_epoch; }

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 32;
}

std::uint64_t state_of(const Block& block, std::size_t register_bytes) {
  std::uint64_t hash = block.live;
  for (const Warp& warp : block.warps) {
    if (warp.groups.empty()) continue;
    hash = mixed(hash, std::uint64_t{warp.live} << 32 | warp.carry);
    for (const Group& group : warp.groups) {
      hash = mixed(hash, std::uint64_t{group.mask} << 32 | group.pc);
      hash = mixed(hash, static_cast<std::uint64_t>(group.state));
    }
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= register_bytes; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, warp.registers + at, sizeof(word));
      hash = mixed(hash, word);
    }
  }
  return hash;
}

std::string polled_text(const Warp& warp) {
  const Poll& poll = warp.poll;
  const std::string name = warp.worker->code->names[poll.operation];
  const Address at = poll.address;
  const Address window = at & ~(window_bytes - 1);
  if (poll.space == Space::shared || poll.space == Space::cluster ||
      (poll.space == Space::generic && window == shared_window))
    return name + " of byte " +
           std::to_string(warp.worker->code->without_gaps(at & (block_window_bytes - 1))) +
           " of shared memory";
  if (poll.space == Space::local || (poll.space == Space::generic && window == local_window))
    return name + " of local memory";
  return name + " of " + warp.worker->device->describe(at);
}

void report(Warp& warp, const Group& group, const Code& code) {
  const std::string rest = ", and no thread of the grid makes progress any more";
  const int lane = std::countr_zero(group.mask);
  if (group.state == Group::State::barrier) {
    const std::string where = group.barrier == cluster_barrier ? "the cluster's barrier"
                              : group.barrier >= first_warpgroup_barrier
                                  ? code.names[group.pc] + " for the other warps of its warpgroup"
                                  : "barrier " + std::to_string(group.barrier);
    record_fault(warp, code.operations[group.pc], FaultKind::livelock, lane,
                 "waits at " + where + rest);
  } else if (warp.poll.known) {
    record_fault(warp, code.operations[warp.poll.operation], FaultKind::livelock, lane,
                 "polls in a loop: " + polled_text(warp) + rest);
  } else {
    record_fault(warp, code.operations[group.pc], FaultKind::livelock, lane,
                 "loops for ever" + rest);
  }
}

}  // namespace

bool Stillness::looks_at(Block& block, bool loops) {
  moved_ = moved_ || !loops;
  if (!loops) return false;
  bool wrote = false;
  bool timed = false;
  for (Warp& warp : block.warps) {
    wrote |= std::exchange(warp.wrote, false);
    timed |= std::exchange(warp.timed, false);
  }
  moved_ = moved_ || wrote;
  timed_ = timed_ || timed;
  const bool is_known = !wrote && (!timed || worker_.holds_clocks);
  const std::uint64_t state = is_known ? state_of(block, worker_.code->register_bytes) : 0;
  const bool same = is_known && block.state_is_known && state == block.state;
  block.state = state;
  block.state_is_known = is_known;
  return same;
}

void Stillness::round_begins() {
  seen_ = progress_.still;
  moved_ = timed_ = false;
  if (std::exchange(ahead_seen_, progress_.clock_ahead) == ahead_seen_) return;
  ++worker_.clock_hold;  // lets each warp read the new time once
  rounds_ = 0;
}

void Stillness::round_ends(bool still) {
  hold_or_release_clocks(still);
  vote(still);
}

void Stillness::hold_or_release_clocks(bool still) {
  constexpr int most_rounds_held = 8;       // a loop that repeats its state does so sooner
  constexpr int rounds_between_holds = 64;  // a loop that also counts needs a running clock
  if (!timed_ && !moved_ && worker_.holds_clocks) return;  // all warps sleep or wait
  ++rounds_;
  if (moved_ || !timed_) {
    if (worker_.holds_clocks) progress_.clock_step = 0;
    hold_clocks(false);
    rounds_before_hold_ = 4;
  } else if (!worker_.holds_clocks && rounds_ >= rounds_before_hold_) {
    hold_clocks(true);
  } else if (worker_.holds_clocks && !still && rounds_ > most_rounds_held) {
    hold_clocks(false);
    rounds_before_hold_ = rounds_between_holds;
  }
}

void Stillness::hold_clocks(bool hold) {
  rounds_ = 0;
  if (hold == worker_.holds_clocks) return;
  worker_.holds_clocks = hold;
  ++worker_.clock_hold;
  progress_.clock_holders += hold ? 1 : -1;
}

bool Stillness::passes_time() {
  const std::uint64_t before = progress_.clock_step;
  if (progress_.clock_holders == 0 || before >= longest_step) return false;
  constexpr std::uint64_t first_step = 1024;
  progress_.clock_step = before == 0 ? first_step : 2 * before;
  progress_.clock_ahead += progress_.clock_step;
  return true;
}

void Stillness::vote(bool still) {
  std::atomic<std::uint64_t>& all = progress_.still;
  std::uint64_t now = all;
  if (!still) {
    while (!all.compare_exchange_weak(now, (epoch_of(now) + 1) * one_epoch)) {
    }
    return;
  }
  // Another worker has changed something since this round began, so the round proves nothing.
  if (epoch_of(now) != epoch_of(seen_)) return;
  if (!counted_ || counted_in_ != epoch_of(now)) {
    do {
      if (epoch_of(now) != epoch_of(seen_)) return;
    } while (!all.compare_exchange_weak(now, now + 1));
    counted_ = true;
    counted_in_ = epoch_of(now);
    now += 1;
  }
  const bool all_stand = count_of(now) + progress_.ended >= worker_.launch->workers;
  if (!all_stand || epoch_of(all) != counted_in_) return;
  if (passes_time()) return vote(false);
  if (!progress_.stop.exchange(true)) progress_.livelock = true;
}

void Stillness::worker_ends() {
  hold_clocks(false);
  vote(false);
  progress_.ended.fetch_add(1);
}

void report_livelock(std::span<const std::unique_ptr<Block>> blocks, const Code& code) {
  for (const std::unique_ptr<Block>& block : blocks) {
    for (Warp& warp : block->warps) {
      for (const Group& group : warp.groups) report(warp, group, code);
    }
  }
}

}  // namespace warpwise::emulator
