#pragma once

// Internal to the emulator: cp.async.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of a copy of Operation::bytes from global to shared memory, done at once.
///
/// - Operand a and Operation::offset: the address in shared memory
/// - list: the global address, an offset to add, and the number of bytes to read; the rest of
///   Operation::bytes becomes zero
/// - sites: the store's, and the load's directly after it
Handler copy_async_handler(ObserverSet observers);

}  // namespace warpwise::emulator
