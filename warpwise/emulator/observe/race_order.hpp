#pragma once

// Internal to the emulator: the order of accesses, for the race check.

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "warpwise/emulator/observe/observer.hpp"
#include "warpwise/emulator/observe/race_block_clocks.hpp"

namespace warpwise::emulator {

/// Everything known to precede an access.
struct Past {
  Clock own;           ///< accesses by warps of the access's own block
  BlockClocks others;  ///< accesses by other blocks
  /// The accesses that a fence for the whole device has followed. A later strong write passes them
  /// on to other blocks.
  BlockClocks fenced;

  void clear();
  /// Returns the lanes of a warp whose accesses at a time precede the access.
  Mask lanes_at(bool of_own_block, std::uint64_t block, std::size_t warp, Time time) const {
    return of_own_block ? own.lanes_at(warp, time) : others.lanes_at(block, warp, time);
  }
};

/// A map for a launch, from places of 8 bytes in memory to accesses that strong writes to the place
/// have published. A strong read of the place orders its lanes after them.
using ToldPlaces = std::unordered_map<std::uint64_t, BlockClocks>;

/// The happens-before order of accesses by one block's warps. A lane that synchronises passes on
/// its own accesses, and all accesses known to precede them.
class BlockOrder {
 public:
  /// \param strict  inside a block, too, only fences and releases order accesses
  void begin(const Block& block, bool strict);

  std::uint64_t block() const { return block_; }
  Time now(std::size_t warp) const { return warps_[warp].now; }

  /// Returns what precedes an access of a warp's lanes: at least what all of them know.
  const Past& past_of(std::size_t warp, Mask lanes) const {
    const WarpOrder& own = warps_[warp];
    return own.parts.empty() ? own.past : past_of_part(own, lanes);
  }

  /// Begins a warp's next time. Later accesses belong to the new time.
  void advance(std::size_t warp) { ++warps_[warp].now; }

  /// Orders the accesses of lanes before what each of them does later (bar.warp.sync).
  void meets(const Warp& warp, Mask lanes);

  // Implement the observer's hooks of the same names.
  void on_barrier_arrive(const Warp& warp, Mask lanes, std::uint32_t barrier);
  void on_barrier_release(const Warp& warp, Mask lanes, std::uint32_t barrier);
  void on_barrier_complete(std::uint32_t barrier) {
    waiting_[barrier].clear();
    open_barriers_ &= ~(1U << barrier);
  }
  void on_exit(const Warp& warp, Mask lanes);
  /// Records a fence for the whole device.
  void on_fence(const Warp& warp, Mask lanes);
  /// Records a fence for the block, which counts only if the order is strict.
  void fences_in_block(const Warp& warp, Mask lanes);

  /// Release and acquire of vector clocks. publish() merges the lanes' own accesses, and all that
  /// happened before them, into `others`. learns() makes all of `others` happen before the lanes'
  /// later accesses.
  void publish(const Warp& warp, Mask lanes, BlockClocks& others);
  void learns(const Warp& warp, Mask lanes, const BlockClocks& others);
  /// Orders the lanes' accesses up to the warp's previous time, now() - 1, before the later
  /// accesses of all these lanes.
  void learns_of_last(const Warp& warp, Mask lanes);

  /// Orders a strong access after earlier ones of its place and before later ones.
  void orders(const Warp& warp, const Operation& op, const Access& access, ToldPlaces& told);
  /// Orders strong accesses of shared memory in a cluster of several blocks.
  void orders_in_cluster(const Warp& warp, const Operation& op, const Access& access,
                         ToldPlaces& told);

 private:
  /// Number of clocks for places that order accesses inside the block. Places that share a clock
  /// count as one place, which may hide races but reports no false ones.
  static constexpr std::size_t place_clocks = 64;
  using PlaceUsers = std::array<Mask, place_clocks>;  ///< lanes that access each place

  /// Lanes that know of more accesses than all lanes of their warp have in common.
  struct Part {
    Mask lanes = 0;
    Past past;
  };

  struct WarpOrder {
    Time now = 1;
    Mask absent = 0;          ///< lanes that the block does not have
    Past past;                ///< what all lanes know
    std::vector<Part> parts;  ///< disjoint sets of lanes that know more
    /// Lanes that have executed a fence for the device since all lanes of the warp last
    /// synchronised. fenced_at is the time of the last one of these fences.
    Mask fenced_lanes = 0;
    Time fenced_at = 0;
    std::array<Time, warp_lanes> released{};  ///< with a strict order: each lane's last fence
  };

  static const Past& past_of_part(const WarpOrder& own, Mask lanes);
  template <class Body>
  void each_past(const Warp& warp, Mask lanes, const Body& body);
  void join(Past& to, const Past& from) const;
  void publish(const Warp& warp, Mask lanes, Past& to) const;
  void publish_at_place(const Warp& warp, Mask lanes, Past& to) const;
  void publish_knowledge(const Warp& warp, Mask lanes, Past& to) const;
  BlockClocks fenced_by(const Warp& warp, Mask lanes) const;
  void learn(const Warp& warp, Mask lanes, const Past& from);

  void order_in_block(const Warp& warp, const Access& access);
  void learn_at_places(const Warp& warp, Mask lanes, std::uint64_t used, const PlaceUsers& users);
  void order_between_blocks(const Warp& warp, const Operation& op, const Access& access,
                            ToldPlaces& told);
  void order_by_places(const Warp& warp, const Access& access, std::uint64_t first, bool releases,
                       ToldPlaces& told);

  std::uint64_t block_ = 0;
  std::size_t count_ = 0;
  bool is_strict_ = false;
  std::uint32_t open_barriers_ = 0;  ///< a bit for each barrier that threads have arrived at
  bool uses_places_ = false;
  bool any_gone_ = false;
  std::array<WarpOrder, most_warps> warps_;
  std::array<Past, all_barriers> waiting_;
  std::array<Past, place_clocks> places_;
  Past gone_;  ///< accesses of exited lanes
};

}  // namespace warpwise::emulator
