#pragma once

// Internal to the emulator: shadows of large allocations. A shadow holds the state of each byte.

#include <cstdint>
#include <memory>

#include "warpwise/emulator/device.hpp"

namespace warpwise::emulator {

/// Returns the shadow of a new allocation: every byte is `unwritten`. A large shadow takes no
/// memory before it is changed.
/// \throws OutOfMemory
std::unique_ptr<std::byte, FreeMemory> unwritten_memory(std::uint64_t bytes);

}  // namespace warpwise::emulator
