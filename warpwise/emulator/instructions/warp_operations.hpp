#pragma once

// Internal to the emulator: operations whose lanes exchange values.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// shfl, vote, match, redux, activemask, elect, clocks, and what does nothing.
const Table& warp_operations();

}  // namespace warpwise::emulator
