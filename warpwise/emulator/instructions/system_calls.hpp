#pragma once

// Internal to the emulator.

#include <string_view>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// The handler of a function that the device's runtime provides (vprintf, __assertfail), null for
/// others. Its list holds where in local memory its arguments, and then its result, lie.
Handler system_call(std::string_view name);

}  // namespace warpwise::emulator
