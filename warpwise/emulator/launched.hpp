#pragma once

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// Adds to a kernel's result the faults and output of the kernels that this kernel launched. Each
/// added fault names its kernel. Serves callers that look only at one kernel's result.
WARPWISE_EXPORT void include_launched(LaunchResult& result);

}  // namespace warpwise::emulator
