#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwise::emulator::runtime {

/// Joins several PTX texts into one, like a linker of machine code. Local names that clash are
/// renamed, and each text's source files get numbers of their own.
std::string linked(const std::vector<std::string>& texts);

/// The functions of libcudadevrt with which a cooperative launch's blocks synchronise, as PTX.
extern const std::string_view grid_barrier;

}  // namespace warpwise::emulator::runtime
