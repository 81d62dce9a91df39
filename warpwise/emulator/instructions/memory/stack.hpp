#pragma once

// Internal to the emulator: stack memory of a thread.

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of alloca, stacksave or stackrestore. Operand a is the size or the saved
/// value. Operation::offset is alloca's alignment.
Handler stack_handler(std::string_view opcode);

}  // namespace warpwise::emulator
