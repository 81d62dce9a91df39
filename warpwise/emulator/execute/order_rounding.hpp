#pragma once

// Internal to the emulator: how floating-point atomics differ from one order to another.

#include "warpwise/emulator/decode/code.hpp"
#include "warpwise/emulator/execute/memory_image.hpp"

namespace warpwise::emulator {

/// Whether a kernel has atomics that add floating-point numbers.
bool adds_floats(const Code& code);

/// The largest difference, as a share of the largest of the numbers that differ, where a kernel
/// adds floating-point numbers by atomics and an allocation differs as if these had rounded
/// differently; else not a number.
double rounding_difference(const Code& code, const Difference& found);

}  // namespace warpwise::emulator
