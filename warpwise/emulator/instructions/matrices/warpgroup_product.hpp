#pragma once

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of wgmma.mma_async for one set of observers. A warp computes 16 of the 64
/// rows. Operation::list holds the registers of D, four registers or a descriptor of A, the
/// descriptor of B, and a predicate. If the predicate is true, the product is added to D.
Handler warpgroup_product_handler(ObserverSet observers);

}  // namespace warpwise::emulator
