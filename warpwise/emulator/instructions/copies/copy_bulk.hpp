#pragma once

// Internal to the emulator: cp.async.bulk, with which one thread copies a range of memory.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of a bulk copy, selected by its BulkFlags. Its list holds the addresses of
/// the destination and of the source, the size, the address of the mbarrier to inform, and the mask
/// of a multicast. Operation::none stands for a missing mbarrier.
Handler copy_bulk_handler(ObserverSet observers);

}  // namespace warpwise::emulator
