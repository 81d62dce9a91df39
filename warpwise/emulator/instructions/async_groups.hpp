#pragma once

// Internal to the emulator: the groups of what is asynchronous.

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// The handler of commit_group, wait_group and wait_all, whose GroupFlags say which. Nothing is
/// left to wait for; the observers are told.
Handler async_group_handler(ObserverSet observers);

}  // namespace warpwise::emulator
