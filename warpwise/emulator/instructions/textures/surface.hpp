#pragma once

// Internal to the emulator: suld and sust, and their common parts with tex.

#include <optional>
#include <vector>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/listed.hpp"
#include "warpwise/emulator/instructions/textures/geometry.hpp"

namespace warpwise::emulator {

/// Returns a surface read or write; nothing for other instructions or forms that are not run.
std::optional<ListedOperation> surface_operation(const ptx::Instruction& instruction,
                                                 ObserverSet observers, const OperandReader& read);

GeometryFlags flags_for(const Geometry& geometry);

/// Appends the operands x, y, z and the layer, with x in place of missing ones. Returns false if
/// the instruction has too few.
bool read_coordinates(const ptx::Operand& at, const Geometry& geometry, const OperandReader& read,
                      std::vector<std::int32_t>& list);

}  // namespace warpwise::emulator
