#pragma once

// Internal to the emulator: calls at run time. A thread's frames are in its local memory, above the
// kernel's own variables. Return addresses and saved registers are stored where no kernel can
// access them.

#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Lets lanes enter the functions that they call, each with a frame and the arguments. Returns the
/// functions' entries with the lanes that enter there. A stack overflow or a pointer to no function
/// is a fault that ends the launch; the result is then empty. The result belongs to the warp's
/// CallStack, and changes at the next call or return.
const std::vector<Destination>& enter_functions(Warp& warp, const Operation& op, Mask lanes);

/// Lets lanes return: restores their registers and passes their results. Returns the operations at
/// which the lanes continue.
const std::vector<Destination>& leave_functions(Warp& warp, Mask lanes);

/// Returns true if a lane's stack has room for that many bytes from the address `begin` on. If not,
/// records a fault that ends the launch.
bool has_stack(Warp& warp, const Operation& op, int lane, std::uint64_t begin, std::uint64_t bytes);

/// Returns the number of bytes, from the begin of each lane's local memory, that were cleared for
/// this block. The bytes above may hold values of an earlier block.
inline std::uint64_t cleared_local(const Warp& warp) {
  const std::vector<CallStack>& stacks = warp.block->stacks;
  return stacks.empty() ? warp.worker->launch->local_bytes : stacks[warp.index].cleared;
}

/// Extends the cleared part of each lane's local memory to the offset `end`: zeroes the new bytes,
/// and marks them as unwritten. Called when a call, an alloca or an access first reaches them.
void clear_local(Warp& warp, std::uint64_t end);

}  // namespace warpwise::emulator
