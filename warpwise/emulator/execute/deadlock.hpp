#pragma once

// Internal to the emulator: reports blocks in which every thread waits for another one.

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Records a fault at each place where threads of the block wait.
void report_deadlock(Block& block, const Code& code);

}  // namespace warpwise::emulator
