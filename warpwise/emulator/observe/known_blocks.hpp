#pragma once

// Internal to the emulator: knowledge about warps of other blocks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpwise::emulator {

inline constexpr std::size_t most_warps = 32;

/// A warp's time: it advances with each barrier, converging instruction, fence and strong access.
using Time = std::uint32_t;

/// The times up to which the accesses of a block's warps are ordered before the current one.
using Clock = std::array<Time, most_warps>;

inline void join(Clock& to, const Clock& from) {
  for (std::size_t w = 0; w < most_warps; ++w) to[w] = to[w] < from[w] ? from[w] : to[w];
}

/// Clocks of known blocks. A tree whose parts are shared by all owners of equal knowledge. A grid
/// of N blocks that inform each other needs N log N memory, not N * N.
class KnownBlocks {
 public:
  bool empty() const { return root_ == nullptr; }
  /// Returns the time up to which a warp's accesses are known; 0 for none.
  Time time_of(std::uint64_t block, std::size_t warp) const;
  /// Returns a block's clock; null if nothing is known of it.
  const Clock* clock_of(std::uint64_t block) const;
  /// Merges a block's clock.
  void add(std::uint64_t block, const Clock& clock);
  /// Merges the knowledge of `others`. Returns true if that added something.
  bool add(const KnownBlocks& others);

 private:
  /// A Clock at height 0, otherwise a node of trees one level lower.
  using Tree = std::shared_ptr<const void>;
  struct Node;

  static Tree with(const Tree& tree, int height, std::uint64_t block, const Clock& clock);
  static Tree joined(const Tree& a, const Tree& b, int height);

  Tree root_;
};

}  // namespace warpwise::emulator
