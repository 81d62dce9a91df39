#pragma once

#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator::runtime {

/// Leads places in a source that CuPy has compiled to the lines of a Python file, if this file
/// holds the whole source as a string. CuPy's own file is gone by then; `warpwise run` lets CuPy
/// keep its text beside the compiled kernel. Other places stay as they are.
void name_python_lines(std::vector<Fault>& faults, const std::string& python_file);

}  // namespace warpwise::emulator::runtime
