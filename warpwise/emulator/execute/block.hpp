#pragma once

// Internal to the emulator: a block before its first instruction.

#include <cstdint>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Sets up block number `linear` of the worker's launch, in a Block that is new or has run another
/// block of the launch: all warps at the first operation, memory zeroed, special registers set.
void start_block(Block& block, Worker& worker, std::uint64_t linear);

}  // namespace warpwise::emulator
