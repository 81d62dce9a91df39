#include "warpwise/emulator/observe/pending_accesses.hpp"

#include <bit>
#include <utility>

#include "warpwise/emulator/execute/barrier.hpp"

namespace warpwise::emulator {
namespace {

// Shared memory of one block has room for fewer copies than this, even at 4 bytes each.
constexpr std::size_t most_pending = std::size_t{1} << 17;

constexpr std::size_t kinds = static_cast<std::size_t>(Asynchronous::product) + 1;

Mask lane_bit(int lane) { return Mask{1} << lane; }

}  // namespace

void PendingAccesses::begin(std::size_t warps) {
  pending_.clear();
  committed_.clear();
  warps_ = warps;
}

PendingAccesses::Committed& PendingAccesses::committed(std::size_t warp, Asynchronous what) {
  if (committed_.empty()) committed_.resize(kinds * warps_);
  return committed_[static_cast<std::size_t>(what) * warps_ + warp];
}

bool PendingAccesses::add(const PendingAccess& access) {
  if (pending_.size() == most_pending) return false;
  pending_.push_back(access);
  pending_.back().groups = committed(access.warp, access.ends_by);
  return true;
}

void PendingAccesses::on_group_commit(const Warp& warp, Asynchronous what, Mask lanes) {
  Committed& counts = committed(warp.index, what);
  for (Mask left = lanes; left != 0; left &= left - 1)
    ++counts[static_cast<std::size_t>(std::countr_zero(left))];
}

/// Removes and returns the pieces for which wanted(access, piece) is true.
template <class Wanted>
std::vector<PendingAccess> PendingAccesses::take(const Wanted& wanted) {
  std::vector<PendingAccess> taken;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    PendingAccess& access = pending_[i];
    Mask pieces = 0;
    for (Mask left = access.pieces; left != 0; left &= left - 1) {
      const int piece = std::countr_zero(left);
      if (wanted(access, piece)) pieces |= lane_bit(piece);
    }
    if (pieces != 0) {
      taken.push_back(access);
      taken.back().pieces = pieces;
      access.pieces &= ~pieces;
    }
    if (access.pieces == 0) continue;
    if (kept != i) pending_[kept] = access;
    ++kept;
  }
  pending_.resize(kept);
  return taken;
}

std::vector<PendingAccess> PendingAccesses::on_group_wait(const Warp& warp, Asynchronous what,
                                                          Mask lanes, std::uint32_t left,
                                                          bool reads_only) {
  if (pending_.empty()) return {};
  const Committed& counts = committed(warp.index, what);
  return take([&](const PendingAccess& access, int piece) {
    if (access.ends_by != what || (reads_only && access.writes)) return false;
    if (what == Asynchronous::product) {
      // All four warps of a warpgroup run one product, and their groups have the same numbers.
      return access.warp / warpgroup_warps == warp.index / warpgroup_warps &&
             access.groups[0] + left < counts[0];
    }
    const auto lane = static_cast<std::size_t>(access.lane_of(piece));
    return access.warp == warp.index && (lanes >> lane & 1) != 0 &&
           access.groups[lane] + left < counts[lane];
  });
}

std::vector<PendingAccess> PendingAccesses::on_mbarrier_track(const Warp& warp, Asynchronous what,
                                                              Mask lanes,
                                                              const MbarrierPhase& phase) {
  if (pending_.empty()) return {};
  std::vector<PendingAccess> taken = take([&](const PendingAccess& access, int piece) {
    return access.ends_by == what && access.warp == warp.index && !access.is_tracked &&
           (lanes >> access.lane_of(piece) & 1) != 0;
  });
  for (PendingAccess& access : taken) {
    access.is_tracked = true;
    access.mbarrier = phase.address;
    access.parity = phase.parity;
  }
  return taken;
}

std::vector<PendingAccess> PendingAccesses::on_mbarrier_end(const MbarrierPhase& phase) {
  if (pending_.empty()) return {};
  return take([&](const PendingAccess& access, int) {
    return access.is_tracked && access.mbarrier == phase.address && access.parity == phase.parity;
  });
}

}  // namespace warpwise::emulator
