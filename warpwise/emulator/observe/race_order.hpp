#pragma once

// Internal to the emulator: the order of accesses, for the race check.

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "warpwise/emulator/observe/known_blocks.hpp"
#include "warpwise/emulator/observe/observer.hpp"

namespace warpwise::emulator {

/// Everything known to precede an access.
struct Past {
  Clock own{};         ///< of the warps of the own block
  KnownBlocks others;  ///< of other blocks
  /// The part that a fence for the whole device has followed. A later strong write passes it on to
  /// other blocks.
  KnownBlocks fenced;

  void clear();
};

/// Merges another past.
void join(Past& to, const Past& from);

/// Knowledge that strong accesses to places in global memory pass to other blocks, for a launch.
using ToldPlaces = std::unordered_map<std::uint64_t, KnownBlocks>;

/// Order of accesses of one block's warps.
class BlockOrder {
 public:
  void begin(std::uint64_t block, std::size_t warps);

  std::uint64_t block() const { return block_; }
  Time now(std::size_t warp) const { return warps_[warp].own[warp]; }

  /// Returns true if the access of a warp at `time` is unordered with the current access of `warp`.
  /// For `warp` itself, `time` is earlier.
  bool is_concurrent(std::uint64_t block, std::size_t earlier_warp, Time time,
                     std::size_t warp) const {
    if (block != block_) return time > warps_[warp].others.time_of(block, earlier_warp);
    return time > warps_[warp].own[earlier_warp];
  }

  /// Begins the next time of a warp: later accesses are not part of the earlier ones.
  void advance(std::size_t warp) { ++warps_[warp].own[warp]; }

  // Implement the observer's hooks of the same names.
  void arrives(std::size_t warp, std::uint32_t barrier);
  void passes(std::size_t warp, std::uint32_t barrier);
  void completes(std::uint32_t barrier) { waiting_[barrier].clear(); }
  void leaves(std::size_t warp);
  /// Records a fence for the whole device.
  void fences(std::size_t warp);

  /// tells(): adds the warp's and its block's accesses, and its knowledge of others, to `others`.
  /// learns(): adds `others` to the warp's knowledge.
  void tells(std::size_t warp, KnownBlocks& others);
  void learns(std::size_t warp, const KnownBlocks& others);

  /// Orders a strong access after earlier ones of its place and before later ones.
  void orders(std::size_t warp, const Operation& op, const Access& access, ToldPlaces& told);
  /// The same for shared memory, in a cluster of several blocks.
  void orders_in_cluster(std::size_t warp, const Operation& op, const Access& access,
                         ToldPlaces& told);

 private:
  /// Number of clocks for places that order accesses inside the block. Places that share a clock
  /// count as one place, which may hide races but reports no false ones.
  static constexpr std::size_t place_clocks = 64;

  void order_in_block(std::size_t warp, const Access& access);
  void order_between_blocks(std::size_t warp, const Operation& op, const Access& access,
                            ToldPlaces& told);
  void order_by_places(std::size_t warp, const Access& access, std::uint64_t first, bool releases,
                       ToldPlaces& told);

  std::uint64_t block_ = 0;
  std::size_t count_ = 0;
  bool uses_places_ = false;
  std::array<Past, most_warps> warps_;
  std::array<Past, all_barriers> waiting_;
  std::array<Past, place_clocks> places_;
  Past gone_;  ///< of exited lanes
};

}  // namespace warpwise::emulator
