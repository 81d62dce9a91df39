#pragma once

// Internal to the emulator: floating-point arithmetic with rounding.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Returns the handlers of approximations, and of arithmetic with a rounding mode, .ftz or .sat.
const Table& rounded_operations();

}  // namespace warpwise::emulator
