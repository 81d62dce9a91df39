#pragma once

// Internal to the emulator: the instructions cvt and testp.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Returns the handlers of cvt.pack, testp, and conversions from or to floats. lanes.hpp has the
/// conversions between integers, and faster handlers of common conversions of floats.
const Table& conversion_operations();

/// Adds conversions from or to floats of 8, 6 and 4 bits.
void add_narrow_conversions(Table& table);

}  // namespace warpwise::emulator
