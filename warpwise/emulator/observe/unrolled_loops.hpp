#pragma once

// Internal to the emulator: loops that the compiler writes out several times in machine code.

#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Number of a loop's rounds that machine code writes out one after another.
inline constexpr int rounds_written_out = 4;

/// Returns for each operation whether it is the branch back of such a loop: a short loop without a
/// branch or a barrier inside, whose end a counter alone decides. `.pragma "nounroll"` keeps a loop
/// as it is.
std::vector<bool> ends_of_unrolled_loops(const Code& code);

/// Returns for each operation whether it is a branch forward over a few instructions, which the
/// compiler executes under a condition in place of the branch.
std::vector<bool> branches_over_little(const Code& code);

}  // namespace warpwise::emulator
