#pragma once

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// mapa: converts the shared address `a` to the same place in the cluster's block of rank `b`.
/// Generic addresses have 64 bits, those of the cluster's space 32 or 64.
Handler map_address_handler(Width width);

/// getctarank: returns the rank of the block that owns a shared address.
Handler rank_of_address_handler(Width width);

}  // namespace warpwise::emulator
