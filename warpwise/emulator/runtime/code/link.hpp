#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwise::emulator::runtime {

/// Joins several PTX texts, like a linker of machine code. Renames local names that clash, and
/// gives each text its own numbers of source files.
std::string linked(const std::vector<std::string>& texts);

/// PTX of the functions in libcudadevrt that synchronise a cooperative launch's blocks.
extern const std::string_view grid_barrier;

}  // namespace warpwise::emulator::runtime
