#pragma once

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// Adds to a result the faults and output of the kernels that it launched. Faults name their
/// kernel. Serves callers that look only at one kernel's result.
WARPWISE_EXPORT void include_launched(LaunchResult& result);

}  // namespace warpwise::emulator
