#pragma once

// Internal to the emulator: Check::sync, what threads do wrong where they are to meet.

#include <cstdint>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Remembers where lanes exit, for a barrier that others come to later.
void note_exit(Warp& warp, const Operation& op, Mask lanes);

/// A barrier is complete and about to let its threads go on: reports threads that have exited
/// without coming to it, and threads that came to it at another place of the code.
void check_barrier(Block& block, std::uint32_t id);

/// Lanes are about to execute an operation with a member mask together: reports lanes that their
/// mask does not name, lanes that it names and that are elsewhere, and lanes that name others.
void check_members(Warp& warp, const Operation& op, Mask lanes);

/// Lanes come to the cluster's barrier: to arrive without having waited for the last time, to wait
/// without having arrived.
void check_cluster_arrival(Warp& warp, const Operation& op, Mask lanes);
void check_cluster_wait(Warp& warp, const Operation& op, Mask lanes);

}  // namespace warpwise::emulator
