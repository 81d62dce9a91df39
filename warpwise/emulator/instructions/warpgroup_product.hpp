#pragma once

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// wgmma.mma_async, one warp's 16 of the 64 rows, for one set of observers. The list has the
/// registers of D; of A four registers or its descriptor; B's descriptor; the predicate by which D
/// is added.
Handler warpgroup_product_handler(ObserverSet observers);

}  // namespace warpwise::emulator
