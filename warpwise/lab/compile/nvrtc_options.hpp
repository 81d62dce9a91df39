#pragma once

#include <string>
#include <vector>

#include "warpwise/lab/compile/compiler.hpp"

namespace warpwise::lab {

/// What NVRTC is given for a compilation, to PTX ("compute_75") and to machine code ("sm_75")
/// alike.
std::vector<std::string> nvrtc_options(const Compilation& compilation, const Toolchain& toolchain,
                                       const std::string& architecture);

}  // namespace warpwise::lab
