#pragma once

// Internal to the emulator: the instruction cp.async.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of cp.async, which copies from global to shared memory at once. It takes
///
/// - Operand a and Operation::offset: the address in shared memory
/// - list: the global address, an offset to add, and the number of bytes to read; the rest of
///   Operation::bytes becomes zero
/// - sites: first the store, directly after it the load
Handler copy_async_handler(ObserverSet observers);

}  // namespace warpwise::emulator
