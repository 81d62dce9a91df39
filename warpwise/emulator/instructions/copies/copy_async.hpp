#pragma once

// Internal to the emulator: the instruction cp.async.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of cp.async, which copies from global to shared memory immediately. It takes
///
/// - Operand a and Operation::offset: the address in shared memory
/// - list: the global address, an offset to add, and the number of bytes to read; the rest of
///   Operation::bytes becomes zero
/// - sites: Operation::site is the store, and the next site is the load
Handler copy_async_handler(ObserverSet observers);

}  // namespace warpwise::emulator
