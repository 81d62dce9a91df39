#pragma once

// Internal to the emulator: cvt, and testp.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Returns conversions from or to floats, cvt.pack and testp. lanes.hpp has conversions of
/// integers.
const Table& conversion_operations();

}  // namespace warpwise::emulator
