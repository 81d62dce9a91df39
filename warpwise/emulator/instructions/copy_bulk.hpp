#pragma once

// Internal to the emulator: cp.async.bulk, which copies a piece of memory for one thread.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// The handler of a bulk copy, by its BulkFlags. Its list holds the addresses of the
/// destination and of the source, the size, and the address of the mbarrier that is told of the
/// bytes; Operation::none for none.
Handler copy_bulk_handler(ObserverSet observers);

}  // namespace warpwise::emulator
