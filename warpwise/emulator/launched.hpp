#pragma once

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// Adds to a result the faults of the kernels that it launched, with their names, and what they
/// printed: for those who look at one kernel's result alone.
WARPWISE_EXPORT void include_launched(LaunchResult& result);

}  // namespace warpwise::emulator
