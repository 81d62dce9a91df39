#pragma once

#include <string>
#include <vector>

#include "warpwise/lab/compile/compiler.hpp"

namespace warpwise::lab {

/// Returns NVRTC's options to compile to PTX ("compute_75") or to machine code ("sm_75").
std::vector<std::string> nvrtc_options(const Compilation& compilation, const Toolchain& toolchain,
                                       const std::string& architecture);

}  // namespace warpwise::lab
