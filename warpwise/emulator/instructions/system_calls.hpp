#pragma once

// Internal to the emulator: printf, assert, malloc and free.

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Bytes that a launch may print in all.
inline constexpr std::uint64_t most_printed_bytes = 1 << 20;

/// The handler of a function that the device's runtime provides (vprintf, __assertfail, malloc,
/// free), null for others. Its list holds where in local memory its arguments, and then its result,
/// lie.
Handler system_call(ObserverSet observers, std::string_view name);

}  // namespace warpwise::emulator
