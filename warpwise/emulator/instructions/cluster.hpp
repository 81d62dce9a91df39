#pragma once

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// mapa: the address in another block of the cluster of what `a` is the address of, `b` its rank.
/// Generic addresses have 64 bits, those of the cluster's space 32 or 64.
Handler map_address_handler(Width width);

/// getctarank: the rank of the block that has such an address.
Handler rank_of_address_handler(Width width);

}  // namespace warpwise::emulator
