#pragma once

// Internal to the emulator: lanes in the order of the lowest program counter, warps in turn, blocks
// one after another.

#include <cstdint>

#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {

/// Runs blocks of the launch until none is left or the launch is stopped. The worker is
/// an ObservedWorker of the set of observers, and its code decoded for them. Returns how many
/// came to their end.
std::uint64_t run_blocks(ObserverSet observers, Worker& worker);

}  // namespace warpwise::emulator
