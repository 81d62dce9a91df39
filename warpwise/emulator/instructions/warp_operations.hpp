#pragma once

// Internal to the emulator: operations that exchange values between lanes.

#include <array>

#include "warpwise/emulator/instructions/table.hpp"

namespace warpwise::emulator {

/// Returns the handlers of shfl, vote, match, redux, activemask, elect, clocks and no-operations.
const Table& warp_operations();

/// Returns the lane that each lane of a shuffle reads from.
std::array<int, warp_lanes> lanes_shuffled_from(const Warp& warp, const Operation& op);

/// Returns the handler of membar and fence.
/// \param for_device  false: the fence orders only what threads of the block see
Handler fence_handler(ObserverSet observers, bool for_device);

}  // namespace warpwise::emulator
