#pragma once

// Internal to the emulator: groups of asynchronous operations.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of commit_group, wait_group and wait_all, selected by GroupFlags. It only
/// informs the observers, because the emulator has already done the work.
Handler async_group_handler(ObserverSet observers);

}  // namespace warpwise::emulator
