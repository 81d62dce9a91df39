#pragma once

// Internal to the emulator: records which inexact operations a kernel executes. The results of an
// inexact operation may differ from a GPU's.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// The handler of inexact operations, which are listed in Code::modelled. It records in the worker
/// that the operation has run, and calls the original handler, from Code::modelled_handlers. Exact
/// operations keep their original handlers, so recording does not slow them.
void run_modelled(Warp& warp, const Operation& op);

}  // namespace warpwise::emulator
