#pragma once

// Internal to the emulator: printf, assert, malloc and free.

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"
#include "warpwise/emulator/instructions/calls/device_runtime.hpp"

namespace warpwise::emulator {

/// Largest size in bytes of a launch's printed output.
inline constexpr std::uint64_t most_printed_bytes = 1 << 20;

/// Returns the implementation of vprintf, __assertfail, malloc, free or a function of the device's
/// runtime; null for other functions. Operation::list holds the offsets of the arguments in local
/// memory, and after them the offset of the result.
SystemCall system_call(ObserverSet observers, std::string_view name);

}  // namespace warpwise::emulator
