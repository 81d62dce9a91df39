#pragma once

// Internal to the race check: accesses of other blocks' warps that are known to come earlier.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

inline constexpr std::size_t most_warps = 32;

/// A warp's time: it advances with each barrier, fence, strong access and exit of any of its lanes.
using Time = std::uint32_t;

/// The accesses of a block's warps that are ordered before the current one. For each warp:
///
/// - the accesses of all its lanes up to the time `all`
/// - the accesses of `lanes` also up to the later time `some`
///
/// Several lanes share the time `some`, so the check may miss races, but reports no false ones.
struct Clock {
  std::array<Time, most_warps> all{};
  std::array<Time, most_warps> some{};
  std::array<Mask, most_warps> lanes{};

  /// Adds the accesses of a warp's lanes up to a time.
  void add(std::size_t warp, Mask of, Time until);
  /// Returns the lanes of a warp whose accesses at a time are included.
  Mask lanes_at(std::size_t warp, Time time) const {
    return time <= all[warp] ? all_lanes : time <= some[warp] ? lanes[warp] : 0;
  }
};

/// Merges the first `warps` entries of another clock.
inline void join(Clock& to, const Clock& from, std::size_t warps = most_warps) {
  for (std::size_t w = 0; w < warps; ++w) {
    const Time all = to.all[w] < from.all[w] ? from.all[w] : to.all[w];
    const Mask lanes =
        (to.some[w] > all ? to.lanes[w] : 0) | (from.some[w] > all ? from.lanes[w] : 0);
    to.some[w] = to.some[w] < from.some[w] ? from.some[w] : to.some[w];
    to.all[w] = all;
    to.lanes[w] = lanes;
  }
}
/// Returns true if the first `warps` entries of a clock include those of another one.
bool covers(const Clock& a, const Clock& b, std::size_t warps = most_warps);

/// Clocks of known blocks, in a tree. Trees share their equal parts. Therefore N blocks that all
/// synchronise with each other need N log N memory, not N * N.
class BlockClocks {
 public:
  bool empty() const { return root_ == nullptr; }
  /// Returns true if add(others) would add nothing.
  bool includes(const BlockClocks& others) const;
  /// Returns the lanes of a warp whose accesses at a time are known.
  Mask lanes_at(std::uint64_t block, std::size_t warp, Time time) const;
  /// Returns a block's clock; null if nothing is known of it.
  const Clock* clock_of(std::uint64_t block) const;
  /// Merges a block's clock.
  void add(std::uint64_t block, const Clock& clock);
  /// Merges the knowledge of `others`. Returns true if that added something.
  bool add(const BlockClocks& others);

 private:
  /// A tree of some height. At height 0 it is one Clock. A higher tree is a Node, the children of
  /// which are trees one level lower.
  using Tree = std::shared_ptr<const void>;
  struct Node;

  static Tree with(const Tree& tree, int height, std::uint64_t block, const Clock& clock);
  static Tree joined(const Tree& a, const Tree& b, int height);
  static bool covers(const Tree& a, const Tree& b, int height);

  Tree root_;
};

}  // namespace warpwise::emulator
