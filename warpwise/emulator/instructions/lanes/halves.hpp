#pragma once

// Internal to the emulator: arithmetic of f16 and bf16.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Returns the handlers of arithmetic and comparisons of f16, bf16 and pairs of them.
const Table& half_operations();

}  // namespace warpwise::emulator
