#pragma once

// Internal to the emulator: wmma of all shapes and elements except 16 x 16 x 16 halves.

#include <optional>

#include "warpwise/emulator/instructions/listed.hpp"

namespace warpwise::emulator::tensor {

/// Returns the operation of a wmma instruction; nothing for unsupported forms.
std::optional<ListedOperation> wmma_operation(const ptx::Instruction& instruction,
                                              ObserverSet observers, const OperandReader& read);

}  // namespace warpwise::emulator::tensor
