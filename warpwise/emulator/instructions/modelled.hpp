#pragma once

// Internal to the emulator: records the execution of inexact operations.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Runs an operation of Code::modelled by its own handler, and records in the worker that it ran.
/// Exact operations keep their own handlers, so the fidelity report does not slow them.
void run_modelled(Warp& warp, const Operation& op);

}  // namespace warpwise::emulator
