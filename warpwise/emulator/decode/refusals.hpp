#pragma once

#include <string>

#include "warpwise/emulator/ptx/parser.hpp"

namespace warpwise::emulator {

/// Returns the reason for which the emulator does not run an instruction, for messages; empty if
/// only its form is unknown.
std::string refusal_of(const ptx::Instruction& instruction);

}  // namespace warpwise::emulator
