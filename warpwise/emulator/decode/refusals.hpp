#pragma once

#include <string>

#include "warpwise/emulator/ptx/parser.hpp"

namespace warpwise::emulator {

/// Returns the reason why the emulator does not run an instruction, for messages. It is empty if
/// the table of refused instructions does not have this one.
std::string refusal_of(const ptx::Instruction& instruction);

}  // namespace warpwise::emulator
