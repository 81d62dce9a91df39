#pragma once

// Internal to the emulator: what a launch executed that is not exact.

#include <span>
#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// LaunchResult::modelled of a launch that its workers have ended. What it left in global memory is
/// noted on the device.
std::vector<ModelledUse> collect_modelled(const Launch& launch, std::span<Worker* const> workers);

}  // namespace warpwise::emulator
