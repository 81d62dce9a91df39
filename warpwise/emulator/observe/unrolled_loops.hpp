#pragma once

// Internal to the emulator: loops that the compiler unrolls in machine code, and the places of
// their loads.

#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// A place of a load in the machine code. The compiler may repeat a load when it unrolls a loop.
struct LoadCopy {
  int place = 0;   ///< index of the machine instruction
  int needed = 0;  ///< index of the first instruction that waits for the load
};

/// Returns the copies of each load in machine code, in the piece of code that has most copies. The
/// list is empty for other operations, and for loads that became a part of another load.
std::vector<std::vector<LoadCopy>> copies_of_loads(const Code& code, const PaceModel& model);

/// Returns a number of rounds for each operation. For the branch back of a loop it is the number of
/// rounds that machine code has in one piece. It is 1 for other operations, and for loops with a
/// branch or a barrier inside. If the machine code has no load of the loop, the number is a guess:
/// 4 if the loop is short and only a counter ends it. `.pragma "nounroll"` keeps a loop as it is.
std::vector<int> rounds_written_out(const Code& code,
                                    const std::vector<std::vector<LoadCopy>>& copies);

/// Returns true for each operation that is a branch forward over a few instructions. The compiler
/// executes them under a condition in place of the branch.
std::vector<bool> branches_over_little(const Code& code);

}  // namespace warpwise::emulator
