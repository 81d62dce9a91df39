#pragma once

// Internal to the emulator and its runtime: kernels' names as their sources have them.

#include <string>
#include <string_view>

#include "warpwise/base/export.hpp"

namespace warpwise::emulator {

/// "scale(int*)" for "_Z5scalePi"; a name that is not mangled as it is.
WARPWISE_EXPORT std::string readable(std::string_view name);

}  // namespace warpwise::emulator
