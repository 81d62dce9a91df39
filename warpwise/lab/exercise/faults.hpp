#pragma once

#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/exercise/exercise.hpp"

// Faults in words for students.
namespace warpwise::lab {

/// Returns "kernel.cu, line 7: " or, for line 0, nothing.
std::string at_line(int line);

/// Describes a fault, with its line unless the kernel does not end. Arrays have the task's names.
std::string fault_text(const Exercise& exercise, const ladders::Variables& size,
                       const emulator::Fault& fault);

/// Returns the hints for a fault: the exercise's own for a race, else one for its kind.
std::vector<std::string> fault_hints(const Exercise& exercise, const emulator::Fault& fault);

}  // namespace warpwise::lab
