#pragma once

// Internal to the emulator: Check::sync, errors of threads that synchronise.

#include <cstdint>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Records where lanes exit, for later barriers.
void note_exit(Warp& warp, const Operation& op, Mask lanes);

/// Checks a complete barrier of all threads before it releases them. Reports threads that have
/// exited, and at barrier 0 threads that arrived at another place of the code.
void check_barrier(Block& block, std::uint32_t id);

/// Checks lanes that are about to execute an operation with a member mask. Reports lanes missing
/// from their own mask, masked lanes that are elsewhere, and lanes with different masks.
void check_members(Warp& warp, const Operation& op, Mask lanes);

/// Report lanes that misuse the cluster's barrier: they arrive again before they have waited, or
/// wait without having arrived.
void check_cluster_arrival(Warp& warp, const Operation& op, Mask lanes);
void check_cluster_wait(Warp& warp, const Operation& op, Mask lanes);

}  // namespace warpwise::emulator
