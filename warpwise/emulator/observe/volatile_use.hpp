#pragma once

// Internal to the race check: the use of values that volatile accesses read.

#include <cstdint>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Returns true if the value that a load reads may become a stored value, an address or another
/// operand. Returns false if it only decides branches and guards, as a flag does.
bool carries_data(const Code& code, std::uint32_t load);

}  // namespace warpwise::emulator
