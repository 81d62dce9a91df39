#pragma once

// Internal to the emulator: copies and products that were not waited for yet, for the race check.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/observe/observer.hpp"
#include "warpwise/emulator/observe/race_shadow.hpp"

namespace warpwise::emulator {

/// An access of up to 32 pieces, at an unknown time between its start and its end.
struct PendingAccess {
  Asynchronous ends_by = Asynchronous::copy;
  std::uint64_t block = 0;  ///< block of the warp that started it
  std::uint32_t warp = 0;
  int starter = -1;        ///< the lane that started it; -1: lane i started piece i
  Block* owner = nullptr;  ///< owner of the shared memory; null: global memory
  bool writes = false;
  int bytes = 0;  ///< bytes of each piece
  Mask pieces = 0;
  std::array<Address, warp_lanes> addresses{};
  std::array<std::uint32_t, warp_lanes> groups{};  ///< for each lane, the index of its group
  Epoch epoch = 0;                                 ///< the epoch of its touches in the shadow
  Epoch started = 0;                               ///< its warp's epoch at the start
  bool is_tracked = false;
  Address mbarrier{};  ///< the mbarrier that tracks it
  std::uint64_t parity = 0;

  int lane_of(int piece) const { return starter >= 0 ? starter : piece; }
};

/// The pending accesses of a block's threads, and those that its mbarriers track.
class PendingAccesses {
 public:
  void begin(std::size_t warps);
  bool empty() const { return pending_.empty(); }

  /// Adds an access. Returns false if too many are pending, because threads never wait.
  bool add(const PendingAccess& access);
  void add_tracked(const PendingAccess& access) { pending_.push_back(access); }
  void clear() { pending_.clear(); }

  /// Implement the observer's hooks of the same names. on_group_wait() and on_mbarrier_end() return
  /// the accesses that have ended; on_mbarrier_track() returns the accesses that now end with the
  /// mbarrier.
  void on_group_commit(const Warp& warp, Asynchronous what, Mask lanes);
  std::vector<PendingAccess> on_group_wait(const Warp& warp, Asynchronous what, Mask lanes,
                                           std::uint32_t left, bool reads_only);
  std::vector<PendingAccess> on_mbarrier_track(const Warp& warp, Asynchronous what, Mask lanes,
                                               const MbarrierPhase& phase);
  std::vector<PendingAccess> on_mbarrier_end(const MbarrierPhase& phase);

 private:
  /// Number of groups that each lane of a warp has committed.
  using Committed = std::array<std::uint32_t, warp_lanes>;

  Committed& committed(std::size_t warp, Asynchronous what);
  template <class Wanted>
  std::vector<PendingAccess> take(const Wanted& wanted);

  std::vector<PendingAccess> pending_;
  std::vector<Committed> committed_;  ///< groups by kind and warp; empty at first
  std::size_t warps_ = 0;
};

}  // namespace warpwise::emulator
