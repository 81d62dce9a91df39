#pragma once

// Internal to the emulator: records the execution of inexact operations.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Runs an operation of Code::modelled by its own handler, and records it in the worker. The
/// fidelity report thus costs other operations nothing.
void run_modelled(Warp& warp, const Operation& op);

}  // namespace warpwise::emulator
