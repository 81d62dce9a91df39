#pragma once

// Internal to the emulator: vectorised operations.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Returns the handlers of arithmetic, logic, comparisons, conversions and moves. They are compiled
/// for the baseline CPU and, on x86, for AVX2 too.
const Table& lane_operations();

}  // namespace warpwise::emulator
