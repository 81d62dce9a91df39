#pragma once

#include <span>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/compile/machine_operations.hpp"

namespace warpwise::lab {

/// Returns the loads in a kernel's machine code, each with the first operation that waits for it.
std::vector<emulator::PaceModel::PlacedLoad> loads_with_first_use(
    std::span<const MachineOperation> operations);

}  // namespace warpwise::lab
