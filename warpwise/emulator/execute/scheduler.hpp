#pragma once

// Internal to the emulator: the scheduler. Lanes with the lowest program counter run first. Warps
// take turns. A worker begins its next block when its earlier ones have ended or cannot go on.

#include <cstdint>

#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {

/// Runs blocks of the launch until none is left or the launch is stopped. Returns the number of
/// blocks that ended. The worker is an ObservedWorker of the set of observers, and its code is
/// decoded for them.
std::uint64_t run_blocks(ObserverSet observers, Worker& worker);

}  // namespace warpwise::emulator
