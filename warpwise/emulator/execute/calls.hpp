#pragma once

// Internal to the emulator: calls at run time. A thread's frames lie in its local memory, above
// what the kernel itself has there; return addresses and saved registers are kept where no access
// of a kernel reaches them.

#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Lanes that go on together.
struct Destination {
  std::uint32_t pc = 0;
  Mask lanes = 0;
};

/// Lanes enter the functions that they call: a frame each, with the arguments. A pointer to no
/// function and a stack that is full are faults and end the launch; the result is empty then.
std::vector<Destination> enter_functions(Warp& warp, const Operation& op, Mask lanes);

/// Lanes return: their results and registers are put back.
std::vector<Destination> leave_functions(Warp& warp, Mask lanes);

/// Whether a lane's stack has room for bytes at `begin`; if not, that is a fault and ends the
/// launch.
bool has_stack(Warp& warp, const Operation& op, int lane, std::uint64_t begin, std::uint64_t bytes);

}  // namespace warpwise::emulator
