#pragma once

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of cp.async.bulk.tensor and cp.reduce.async.bulk.tensor of tiles, for one
/// set of observers. Its list holds:
///
/// - the addresses of the tile in shared memory, of the tensor map and of the mbarrier
/// - the mask of a multicast
/// - the coordinates, innermost first
Handler copy_tensor_handler(ObserverSet observers);

}  // namespace warpwise::emulator
