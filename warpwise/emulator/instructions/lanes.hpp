#pragma once

// Internal to the emulator: what is worth vectorising.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Arithmetic, logic, comparisons, conversions, moves: compiled for the baseline and, on x86, for
/// AVX2 as well.
const Table& lane_operations();

}  // namespace warpwise::emulator
