#pragma once

// Internal to the emulator: tex.

#include <optional>

#include "warpwise/emulator/instructions/listed.hpp"

namespace warpwise::emulator {

/// Returns a texture read; nothing for other instructions or forms that are not run.
std::optional<ListedOperation> texture_operation(const ptx::Instruction& instruction,
                                                 ObserverSet observers, const OperandReader& read);

}  // namespace warpwise::emulator
