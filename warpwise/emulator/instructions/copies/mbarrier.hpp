#pragma once

// Internal to the emulator: mbarriers, the barrier objects in shared memory.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of an mbarrier operation, selected by its MbarrierFlags. Operand b is a
/// count of threads, a state or a parity. Operand c is a count of bytes.
Handler mbarrier_handler(ObserverSet observers);

/// Returns the handler of mbarrier.pending_count, which counts the arrivals missing in a state.
Handler pending_count_handler();

}  // namespace warpwise::emulator
