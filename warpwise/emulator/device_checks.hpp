#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"

// What the CUDA runtime asks of a device for its own checks (Check::memory, Check::runtime).
namespace warpwise::emulator {

/// Name and bytes of each allocation that kernels made, by malloc or new, and have not freed.
WARPWISE_EXPORT std::vector<std::pair<std::string, std::uint64_t>> heap_allocations(
    const Device& device);

class MemoryUses;

/// From now on launches on the device that look for races, or for what the CUDA runtime's checks
/// need, tell `uses` what they touch; and memory that the host sees begins and ends at whole pages.
WARPWISE_EXPORT void watch_uses(Device& device, MemoryUses& uses);

/// "byte 4 of allocation 3 of 128 bytes".
WARPWISE_EXPORT std::string described(const Device& device, Address address);

}  // namespace warpwise::emulator
