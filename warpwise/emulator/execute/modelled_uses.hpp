#pragma once

// Internal to the emulator: the inexact operations of a launch.

#include <span>
#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Returns LaunchResult::modelled after the workers have ended. Records on the device which inexact
/// values remain in global memory.
std::vector<ModelledUse> collect_modelled(const Launch& launch, std::span<Worker* const> workers);

}  // namespace warpwise::emulator
