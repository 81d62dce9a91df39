#pragma once

// Internal to the emulator: the instructions tex and tld4.

#include <optional>

#include "warpwise/emulator/instructions/listed.hpp"

namespace warpwise::emulator {

/// Returns the operation of a texture read; nothing for unsupported forms.
std::optional<ListedOperation> texture_operation(const ptx::Instruction& instruction,
                                                 ObserverSet observers, const OperandReader& read);

}  // namespace warpwise::emulator
