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

/// Returns, for each load, its copies in the machine code between two branches. If it has copies in
/// several such pieces of code, returns those of the piece with most copies. The list is empty for
/// other operations, and for loads that became a part of another load.
std::vector<std::vector<LoadCopy>> copies_of_loads(const Code& code, const PaceModel& model);

/// Returns the factor by which each loop is unrolled, at the index of the loop's branch back. The
/// factor is the largest number of copies that a load of the loop has. If there are none, it is a
/// guess: 4 if the loop is short and a counter ends it, otherwise 1. It is 1 for loops with a
/// branch or a barrier inside or with `.pragma "nounroll"`. Other operations have the entry 1.
std::vector<int> rounds_written_out(const Code& code,
                                    const std::vector<std::vector<LoadCopy>>& copies);

/// Returns true for each operation that is a branch forward over a few instructions. The compiler
/// executes them under a condition in place of the branch.
std::vector<bool> branches_over_little(const Code& code);

}  // namespace warpwise::emulator
