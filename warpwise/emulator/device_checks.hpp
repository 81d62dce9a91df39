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

}  // namespace warpwise::emulator
