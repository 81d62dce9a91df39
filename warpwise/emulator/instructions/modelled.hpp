#pragma once

// Internal to the emulator: how operations that are not exact note that they are executed.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Runs an operation of Code::modelled by its own handler, and has the worker remember it. The
/// other operations pay nothing for the fidelity report.
void run_modelled(Warp& warp, const Operation& op);

}  // namespace warpwise::emulator
