#pragma once

// Internal to the emulator.

#include <vector>

#include "warpwise/emulator/decode/code.hpp"

namespace warpwise::emulator {

/// Replaces virtual registers (operands >= 0 of operations, lists and special registers) by byte
/// offsets in a warp's register file, and sets Code::register_bytes. `widths` is each virtual
/// register's.
void allocate_registers(Code& code, const std::vector<Accesses>& accesses,
                        const std::vector<Width>& widths);

}  // namespace warpwise::emulator
