#pragma once

// Internal to the emulator: what the race check remembers of copies and products that nobody has
// waited for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/observe/observer.hpp"
#include "warpwise/emulator/observe/race_shadow.hpp"

namespace warpwise::emulator {

/// An access of up to 32 pieces that takes place at some time between its start and its end.
struct PendingAccess {
  Asynchronous ends_by = Asynchronous::copy;
  std::uint64_t block = 0;  ///< whose warp has started it
  std::uint32_t warp = 0;
  int starter = -1;        ///< its lane; -1: each piece is that of the lane of its number
  Block* owner = nullptr;  ///< of shared memory; null: in global memory
  bool writes = false;
  int bytes = 0;  ///< of each piece
  Mask pieces = 0;
  std::array<Address, warp_lanes> addresses{};
  std::array<std::uint32_t, warp_lanes> groups{};  ///< of its lanes, the groups that they are in
  Epoch epoch = 0;                                 ///< of what it has left in the shadow
  Epoch started = 0;                               ///< its warp's when it was started
  bool is_tracked = false;
  Address mbarrier{};  ///< that tracks it, and in which phase
  std::uint64_t parity = 0;

  int lane_of(int piece) const { return starter >= 0 ? starter : piece; }
};

/// Those of a block's threads, or at a block's mbarriers.
class PendingAccesses {
 public:
  void begin(std::size_t warps);
  bool empty() const { return pending_.empty(); }

  /// Adds one; false: it is too many, of threads that never wait.
  bool add(const PendingAccess& access);
  void add_tracked(const PendingAccess& access) { pending_.push_back(access); }
  void clear() { pending_.clear(); }

  /// As the observer's hooks of these names; awaits() and sees_end() return what has ended,
  /// tracks() what from now on has its end at the mbarrier.
  void commits(const Warp& warp, Asynchronous what, Mask lanes);
  std::vector<PendingAccess> awaits(const Warp& warp, Asynchronous what, Mask lanes,
                                    std::uint32_t left, bool reads_only);
  std::vector<PendingAccess> tracks(const Warp& warp, Asynchronous what, Mask lanes,
                                    const MbarrierPhase& phase);
  std::vector<PendingAccess> sees_end(const MbarrierPhase& phase);

 private:
  /// How many groups each lane of a warp has committed.
  using Committed = std::array<std::uint32_t, warp_lanes>;

  Committed& committed(std::size_t warp, Asynchronous what);
  template <class Wanted>
  std::vector<PendingAccess> take(const Wanted& wanted);

  std::vector<PendingAccess> pending_;
  std::vector<Committed> committed_;  ///< by what and by warp; empty: none yet
  std::size_t warps_ = 0;
};

}  // namespace warpwise::emulator
