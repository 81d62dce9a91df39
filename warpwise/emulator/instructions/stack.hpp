#pragma once

// Internal to the emulator: memory that a thread takes on its stack.

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// The handler of alloca, stacksave or stackrestore. The size, or what was saved, is operand a;
/// Operation::offset is alloca's alignment.
Handler stack_handler(std::string_view opcode);

}  // namespace warpwise::emulator
