#pragma once

// Internal to the emulator: prepares a block.

#include <cstdint>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Prepares block number `linear` of the worker's launch. The Block is new, or has run another
/// block of the launch. All warps start at the first operation, with memory zeroed and special
/// registers set.
void start_block(Block& block, Worker& worker, std::uint64_t linear);

}  // namespace warpwise::emulator
