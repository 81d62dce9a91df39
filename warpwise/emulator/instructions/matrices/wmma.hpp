#pragma once

// Internal to the emulator: wmma of all other shapes and elements than 16 x 16 x 16 halves.

#include <optional>

#include "warpwise/emulator/instructions/listed.hpp"

namespace warpwise::emulator::tensor {

/// Returns such an instruction; nothing for others.
std::optional<ListedOperation> wmma_operation(const ptx::Instruction& instruction,
                                              ObserverSet observers, const OperandReader& read);

}  // namespace warpwise::emulator::tensor
