#pragma once

#include <string>
#include <vector>

namespace warpwise::emulator::runtime {

/// Joins several PTX texts into one, like a linker of machine code. Local names that clash are
/// renamed, and each text's source files get numbers of their own.
std::string linked(const std::vector<std::string>& texts);

}  // namespace warpwise::emulator::runtime
