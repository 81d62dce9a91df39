#pragma once

// Internal to the emulator: the instructions atom and red.

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Returns handlers by operation and type ("add.u32"). Operands: dst, address a, values b and c.
const Table& atomic_operations(ObserverSet observers);

}  // namespace warpwise::emulator
