#pragma once

#include <string>
#include <vector>

namespace warpwise::emulator::runtime {

/// One text of PTX that has what several have, as a linker of machine code would join them. What a
/// module keeps to itself is renamed where another one has the name, and its source files get
/// numbers of their own.
std::string linked(const std::vector<std::string>& texts);

}  // namespace warpwise::emulator::runtime
