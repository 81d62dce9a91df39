#pragma once

// Internal to the emulator: printf, assert, malloc and free.

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Limit in bytes of a launch's printed output.
inline constexpr std::uint64_t most_printed_bytes = 1 << 20;

/// Returns the handler of a function of the device's runtime (vprintf, __assertfail, malloc, free),
/// null for others. Operation::list holds the places in local memory of the arguments, and then of
/// the result.
Handler system_call(ObserverSet observers, std::string_view name);

}  // namespace warpwise::emulator
