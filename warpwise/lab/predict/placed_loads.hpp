#pragma once

#include <span>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/compile/machine_operations.hpp"

namespace warpwise::lab {

/// Returns where a kernel's machine code has its loads, and where it waits for each.
std::vector<emulator::PaceModel::PlacedLoad> placed_loads(
    std::span<const MachineOperation> operations);

}  // namespace warpwise::lab
