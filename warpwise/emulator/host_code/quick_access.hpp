#pragma once

// Internal to the emulator: loads and stores of whole warps, for machine code made at run time.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns a function that does the same as a load's or store's handler: at once if all 32 lanes
/// access one piece of memory in bounds, otherwise by calling the handler. Returns null for other
/// handlers, and for operations whose handler has to run. It needs AVX2.
Handler quick_access(const Operation& op, ObserverSet observers);

}  // namespace warpwise::emulator
