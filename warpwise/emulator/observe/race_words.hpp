#pragma once

// Internal to the race check: loops over touches of consecutive words. They are compiled for the
// baseline and, on x86, for AVX2 too.

#include <cstddef>
#include <cstdint>

#include "warpwise/emulator/observe/race_shadow.hpp"

namespace warpwise::emulator {

/// Touches of consecutive words by neighbouring lanes in one instruction.
struct TouchRun {
  std::uint64_t base = 0;   ///< touch of the run's first lane; at() adds to its lane
  std::uint64_t place = 0;  ///< number of words of the run before these
  int left = 0;             ///< a word has 2^left lanes
  int right = 0;            ///< a lane has 2^right words

  std::uint64_t at(std::uint64_t i) const {
    return base + ((place + i) << left >> right << Touch::lane_at);
  }
};

/// Returns the bits in which any of some touches differs from the first one.
std::uint64_t different_bits(const std::uint64_t* old, std::size_t count);
/// Returns the bits in which any old touch differs from its new one.
std::uint64_t changed_bits(const std::uint64_t* old, const TouchRun& now, std::size_t count);
void replace_touches(std::uint64_t* old, const TouchRun& now, std::size_t count);
/// Does merged() for touches of one epoch, of the same bytes and layout.
void merge_touches(std::uint64_t* old, const TouchRun& now, std::size_t count);
void add_to_touches(std::uint64_t* old, std::uint64_t flags, std::size_t count);

}  // namespace warpwise::emulator
