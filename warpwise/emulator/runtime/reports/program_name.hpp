#pragma once

#include <string>

namespace warpwise::emulator::runtime {

/// Returns the program's file name; for Python the script's or the module's name.
std::string name_of_program();

}  // namespace warpwise::emulator::runtime
