#pragma once

// Internal to the emulator: mbarriers, the barriers that are objects in shared memory.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// The handler of an operation on mbarriers, whose MbarrierFlags say which one it is. Operand b is
/// a count of threads, a state or a parity; operand c a count of bytes.
Handler mbarrier_handler(ObserverSet observers);

/// What a mbarrier.arrive returned: the threads that were still to come (mbarrier.pending_count).
Handler pending_count_handler();

}  // namespace warpwise::emulator
