#pragma once

// Internal to the emulator: cvt, and testp.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Returns conversions from or to floats, cvt.pack and testp. lanes.hpp has conversions of
/// integers.
const Table& conversion_operations();

/// Adds conversions from or to floats of 8, 6 and 4 bits.
void add_narrow_conversions(Table& table);

}  // namespace warpwise::emulator
