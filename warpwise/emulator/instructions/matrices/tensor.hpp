#pragma once

// Internal to the emulator: the instructions mma, wmma, ldmatrix, stmatrix and movmatrix.

#include <optional>

#include "warpwise/emulator/instructions/listed.hpp"

namespace warpwise::emulator {

/// Returns the operation of a matrix instruction; nothing for unsupported forms.
std::optional<ListedOperation> tensor_operation(const ptx::Instruction& instruction,
                                                ObserverSet observers, const OperandReader& read);

}  // namespace warpwise::emulator
