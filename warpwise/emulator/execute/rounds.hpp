#pragma once

// Internal to the emulator: what scheduler.cpp and shuffled_rounds.hpp share. Each runs rounds, in
// which every warp takes a turn: one in the usual order, the other in a schedule's order.

#include <cstdint>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Result of a round of a block's warps:
///
/// - looping: all warps have only looped or waited
/// - spinning: looping, and the loops poll memory
/// - polling: spinning, and each warp polls the same address as in its previous turn
/// - repeating: running, but in many rounds a warp has polled the same address again
/// - stuck: all warps wait, and only other blocks of the cluster may release them
enum class BlockOutcome { finished, spinning, polling, looping, repeating, running, stuck };

/// Counts a block's warp instructions towards the launch's budget. An exhausted budget or an
/// interruption ends the launch with a fault. The fault is at a warp that still ran, or at the
/// first operation if the block has none left.
void charge(Worker& worker, Block& block, std::uint64_t executed);

}  // namespace warpwise::emulator
