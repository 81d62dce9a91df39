#pragma once

// Internal to the emulator and its runtime: kernel names as in the source.

#include <string>
#include <string_view>

#include "warpwise/base/export.hpp"

namespace warpwise::emulator {

/// Returns "scale(int*)" for "_Z5scalePi", without ABI tags; a name that is not mangled stays as it
/// is.
WARPWISE_EXPORT std::string readable(std::string_view name);

}  // namespace warpwise::emulator
