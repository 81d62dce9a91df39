#pragma once

// Internal to the emulator: assigns virtual registers to places in a warp's register file.

#include <vector>

#include "warpwise/emulator/decode/code.hpp"

namespace warpwise::emulator {

/// Replaces virtual registers by byte offsets in a warp's register file. Sets Code's
/// register_bytes, places and unset, CallSite::saved and Operation::unread. Virtual registers are
/// operands >= 0 of operations, lists and special registers. `widths` has the width of each.
void allocate_registers(Code& code, const std::vector<Accesses>& accesses,
                        const std::vector<Width>& widths);

}  // namespace warpwise::emulator
