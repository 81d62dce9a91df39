#pragma once

// Internal to the emulator: cp.async.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// A copy of Operation::bytes from global to shared memory, done at once. Operand a and
/// Operation::offset are the address in shared memory; the list holds the global address, what is
/// added to it, and the number of bytes to read: the rest of Operation::bytes becomes zero. The
/// load's site is the one behind the store's.
Handler copy_async_handler(ObserverSet observers);

}  // namespace warpwise::emulator
