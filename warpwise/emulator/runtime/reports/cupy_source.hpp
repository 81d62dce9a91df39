#pragma once

#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator::runtime {

/// Replaces places in source code that CuPy has compiled by lines of a Python file, if that file
/// holds the whole source as a string. CuPy has deleted its own file by then; `warpwise run` lets
/// CuPy keep the text beside the compiled kernel. Other places stay as they are.
void name_python_lines(std::vector<Fault>& faults, const std::string& python_file);

}  // namespace warpwise::emulator::runtime
