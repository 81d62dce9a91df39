#pragma once

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor of tiles, for one set of observers. The
/// list has the addresses in shared memory, of the tensor map and of the mbarrier, the mask of a
/// multicast, and the coordinates, the innermost first.
Handler copy_tensor_handler(ObserverSet observers);

}  // namespace warpwise::emulator
