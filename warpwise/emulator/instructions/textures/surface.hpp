#pragma once

// Internal to the emulator: suld and sust, and the functions that tex uses as well.

#include <optional>
#include <vector>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/listed.hpp"
#include "warpwise/emulator/instructions/textures/geometry.hpp"

namespace warpwise::emulator {

/// Returns the operation of a surface access; nothing for unsupported forms.
std::optional<ListedOperation> surface_operation(const ptx::Instruction& instruction,
                                                 ObserverSet observers, const OperandReader& read);

GeometryFlags flags_for(const Geometry& geometry);

/// Appends the operands of x, y, z and the layer to `list`. For each missing coordinate it appends
/// x. Returns false if the instruction has too few coordinates.
bool read_coordinates(const ptx::Operand& at, const Geometry& geometry, const OperandReader& read,
                      std::vector<std::int32_t>& list);

}  // namespace warpwise::emulator
