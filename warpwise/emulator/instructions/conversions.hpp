#pragma once

// Internal to the emulator: cvt, and testp.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Conversions from or to floats, cvt.pack and testp. Those between integers are lanes.hpp's.
const Table& conversion_operations();

}  // namespace warpwise::emulator
