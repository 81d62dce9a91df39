#pragma once

// Internal to the emulator: what is known of the warps of other blocks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpwise::emulator {

inline constexpr std::size_t most_warps = 32;

/// A warp's time: it advances with each barrier, converging instruction, fence and strong access.
using Time = std::uint32_t;

/// For each warp of a block, the time up to which its accesses are known to have come before.
using Clock = std::array<Time, most_warps>;

inline void join(Clock& to, const Clock& from) {
  for (std::size_t w = 0; w < most_warps; ++w) to[w] = to[w] < from[w] ? from[w] : to[w];
}

/// The clocks of blocks that something is known of. A tree whose parts are shared by all that know
/// the same, so that a grid of N blocks that tell each other takes N log N, not N * N.
class KnownBlocks {
 public:
  bool empty() const { return root_ == nullptr; }
  /// The time up to which a warp's accesses are known; 0 for none.
  Time time_of(std::uint64_t block, std::size_t warp) const;
  /// Null for a block that nothing is known of.
  const Clock* clock_of(std::uint64_t block) const;
  /// Adds what a clock knows of a block.
  void add(std::uint64_t block, const Clock& clock);
  /// Adds what `others` knows; whether that was more.
  bool add(const KnownBlocks& others);

 private:
  /// A Clock at height 0, or a node of trees that are one lower.
  using Tree = std::shared_ptr<const void>;
  struct Node;

  static Tree with(const Tree& tree, int height, std::uint64_t block, const Clock& clock);
  static Tree joined(const Tree& a, const Tree& b, int height);

  Tree root_;
};

}  // namespace warpwise::emulator
