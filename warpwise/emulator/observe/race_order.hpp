#pragma once

// Internal to the emulator: what comes before what, for the race check.

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "warpwise/emulator/observe/known_blocks.hpp"
#include "warpwise/emulator/observe/observer.hpp"

namespace warpwise::emulator {

/// What is known to have come before something.
struct Past {
  Clock own{};         ///< of the warps of the own block
  KnownBlocks others;  ///< of other blocks
  /// Of all this what a fence for the whole device has followed: what a strong write behind it
  /// tells other blocks.
  KnownBlocks fenced;

  void clear();
};

/// Adds what another past knows.
void join(Past& to, const Past& from);

/// What the strong accesses to places of global memory tell other blocks, for a launch.
using ToldPlaces = std::unordered_map<std::uint64_t, KnownBlocks>;

/// The order of what one block's warps do.
class BlockOrder {
 public:
  void begin(std::uint64_t block, std::size_t warps);

  std::uint64_t block() const { return block_; }
  Time now(std::size_t warp) const { return warps_[warp].own[warp]; }

  /// Whether nothing orders what a warp did at a time, an earlier one if it is `warp` itself, and
  /// what `warp` does now.
  bool is_concurrent(std::uint64_t block, std::size_t earlier_warp, Time time,
                     std::size_t warp) const {
    if (block != block_) return time > warps_[warp].others.time_of(block, earlier_warp);
    return time > warps_[warp].own[earlier_warp];
  }

  /// What a warp does from now on is not part of what it has done.
  void advance(std::size_t warp) { ++warps_[warp].own[warp]; }

  // As the observer's hooks of these names.
  void arrives(std::size_t warp, std::uint32_t barrier);
  void passes(std::size_t warp, std::uint32_t barrier);
  void completes(std::uint32_t barrier) { waiting_[barrier].clear(); }
  void leaves(std::size_t warp);
  /// A fence for the whole device.
  void fences(std::size_t warp);

  /// What a warp has done, its block, and what it knows of others, becomes known to `others` too;
  /// and the other way round.
  void tells(std::size_t warp, KnownBlocks& others);
  void learns(std::size_t warp, const KnownBlocks& others);

  /// A strong access comes behind the earlier ones of its place, and before the later ones.
  void orders(std::size_t warp, const Operation& op, const Access& access, ToldPlaces& told);
  /// The same of shared memory in a cluster of several blocks.
  void orders_in_cluster(std::size_t warp, const Operation& op, const Access& access,
                         ToldPlaces& told);

 private:
  /// Places that order accesses inside the block. Such as share a clock are taken for one place,
  /// which hides races and invents none.
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
  Past gone_;  ///< of lanes that have exited
};

}  // namespace warpwise::emulator
