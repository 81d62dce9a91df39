#pragma once

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// Adds to a result the faults and output of the kernels that it launched. Faults name their
/// kernel. For callers that look at one kernel's result alone.
WARPWISE_EXPORT void include_launched(LaunchResult& result);

}  // namespace warpwise::emulator
