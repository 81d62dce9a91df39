#pragma once

// Internal to the emulator: a cache of the numbers that accesses of whole warps add to the counts.
// quick_observers-inl.hpp uses it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// A cache of counts. An access of a whole warp adds to several counts of its instruction (its
/// site), such as sectors. The additions depend only on the lanes' addresses relative to the 256
/// aligned bytes that hold the first address. An access of the same shape reuses them.
struct QuickCounts {
  static constexpr std::size_t kept = 512;  ///< entries fit into an L2 cache beside other data

  template <class Address>
  struct Shape {
    std::int32_t site = -1;
    alignas(32) std::array<Address, warp_lanes> offsets{};
  };
  /// Key of a kept access whose lanes use neighbouring elements.
  struct Neighbours {
    std::int32_t site = -1;
    std::uint32_t low = 0;  ///< the first address modulo 256
  };

  template <class Address>
  std::vector<Shape<Address>>& shapes() {
    if constexpr (sizeof(Address) == sizeof(std::uint64_t))
      return long_shapes;
    else
      return short_shapes;
  }
  /// Returns the index of the entry for a site's access whose first address is `first`.
  static std::size_t slot(std::int32_t site, std::uint64_t first) {
    return (static_cast<std::size_t>(site) * 8 + (first >> 5 & 7)) % kept;
  }

  std::vector<Neighbours> neighbours;
  std::vector<Shape<std::uint64_t>> long_shapes;
  std::vector<Shape<std::uint32_t>> short_shapes;
  /// The additions for each of the three lists above: [slot][index of the site's count].
  std::array<std::vector<std::uint64_t>, 3> added;
};

}  // namespace warpwise::emulator
