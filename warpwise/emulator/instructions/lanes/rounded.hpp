#pragma once

// Internal to the emulator: floating-point arithmetic with rounding.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Returns f32 and f64 arithmetic with a rounding mode, .ftz or .sat, and the approximations.
const Table& rounded_operations();

}  // namespace warpwise::emulator
