#pragma once

// Internal to the emulator: what rounds of turns have in common, in order and in a schedule's.

#include <cstdint>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// What a round of a block's warps came to. In a looping one they have all gone round in loops or
/// waited; in a spinning one these loops poll memory, in a polling one what they polled a turn ago;
/// in a stuck one all waited, and only other blocks of the cluster may let them go on.
enum class BlockOutcome { finished, spinning, polling, looping, running, stuck };

/// Charges a block's warp instructions to the launch's budget. One that is spent ends the launch,
/// with the place of one warp that still ran.
void charge(Worker& worker, Block& block, std::uint64_t executed);

}  // namespace warpwise::emulator
