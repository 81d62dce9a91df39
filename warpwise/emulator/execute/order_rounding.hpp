#pragma once

// Internal to the emulator: rounding differences of floating-point atomics between orders.

#include "warpwise/emulator/decode/code.hpp"
#include "warpwise/emulator/execute/memory_image.hpp"

namespace warpwise::emulator {

/// Returns true if a kernel has atomics that add floating-point numbers.
bool adds_floats(const Code& code);

/// Returns the largest difference between sums, relative to the largest sum that differs. Returns
/// NaN if the kernel adds no floating-point numbers by atomics, or if the allocation differs by
/// more than rounding.
double rounding_difference(const Code& code, const Difference& found);

}  // namespace warpwise::emulator
