#pragma once

// Internal to the emulator: loops that the compiler writes out several times in machine code, and
// where it put their loads.

#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// A place of a load in the machine code. The compiler may write a load out several times.
struct LoadCopy {
  int place = 0;   ///< number of the machine instruction
  int needed = 0;  ///< number of the first one that waits for it
};

/// Returns the copies of each operation that loads, in the piece of machine code with the most of
/// them. Empty for the others, and for loads that became a part of another one.
std::vector<std::vector<LoadCopy>> copies_of_loads(const Code& code, const PaceModel& model);

/// Returns for each operation the number of rounds that machine code has in one piece, if it is the
/// branch back of a loop without a branch or a barrier inside. 1 for the others. If the machine
/// code has no load of the loop, this is a guess: 4 if the loop is short, and a counter alone
/// decides its end.
/// `.pragma "nounroll"` keeps a loop as it is.
std::vector<int> rounds_written_out(const Code& code,
                                    const std::vector<std::vector<LoadCopy>>& copies);

/// Returns for each operation whether it is a branch forward over a few instructions, which the
/// compiler executes under a condition in place of the branch.
std::vector<bool> branches_over_little(const Code& code);

}  // namespace warpwise::emulator
