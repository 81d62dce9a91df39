#pragma once

#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/exercise/exercise.hpp"

// Describes faults in words for students.
namespace warpwise::lab {

/// Returns "kernel.cu, line 7: ", or an empty text for line 0.
std::string at_line(int line);

/// Describes a fault and its line. A kernel that does not end gets a text without a line. Arrays
/// have the names that the task gives them.
std::string fault_text(const Exercise& exercise, const ladders::Variables& size,
                       const emulator::Fault& fault);

/// Returns hints for a fault: for a race the exercise's own hints, if it has any; otherwise the
/// hint of the fault's kind.
std::vector<std::string> fault_hints(const Exercise& exercise, const emulator::Fault& fault);

}  // namespace warpwise::lab
