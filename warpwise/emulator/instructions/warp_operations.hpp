#pragma once

// Internal to the emulator: operations whose lanes exchange values.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// shfl, vote, match, redux, activemask, elect, clocks, and what does nothing.
const Table& warp_operations();

/// membar, fence. \param for_device  else it orders what threads of the block see alone
Handler fence_handler(ObserverSet observers, bool for_device);

}  // namespace warpwise::emulator
