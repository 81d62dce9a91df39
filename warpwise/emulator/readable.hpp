#pragma once

// Internal to the emulator, its runtime and the laboratory: names of kernels as in the source, and
// files that are not the program's own.

#include <string>
#include <string_view>

#include "warpwise/base/export.hpp"

namespace warpwise::emulator {

/// Returns "scale(int*)" for "_Z5scalePi", without ABI tags, and "scale(int32[::1])" for a kernel
/// of numba. A name that is not mangled stays as it is.
WARPWISE_EXPORT std::string readable(std::string_view name);

/// Returns true for a header of CUDA's toolkit, of NVIDIA Warp or of the system, whose lines are
/// not the program's.
WARPWISE_EXPORT bool is_of_toolkit(std::string_view file);

}  // namespace warpwise::emulator
