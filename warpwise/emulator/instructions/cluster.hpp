#pragma once

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of mapa. It converts shared address `a` to the address at the same offset in
/// the cluster's block of rank `b`. Generic addresses have 64 bits, cluster addresses 32 or 64.
Handler map_address_handler(Width width);

/// Returns the handler of getctarank. It computes the rank of the block that owns a shared address.
Handler rank_of_address_handler(Width width);

}  // namespace warpwise::emulator
