#pragma once

// Internal to the emulator: wmma of all other shapes and elements than 16 x 16 x 16 halves.

#include <optional>

#include "warpwise/emulator/instructions/listed.hpp"

namespace warpwise::emulator::tensor {

/// Returns a wmma instruction of these forms; nothing for other instructions.
std::optional<ListedOperation> wmma_operation(const ptx::Instruction& instruction,
                                              ObserverSet observers, const OperandReader& read);

}  // namespace warpwise::emulator::tensor
