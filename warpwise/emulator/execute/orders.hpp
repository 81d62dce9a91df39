#pragma once

// Internal to the emulator: a launch in several orders of its blocks and warps, and whether its
// results depend on the order.

#include <span>

#include "warpwise/emulator/execute/launch.hpp"

namespace warpwise::emulator {

/// As run_launch(), and then again from the same memory in LaunchOptions::orders - 1 other orders,
/// without counts and checks. What differs becomes faults; the memory is that of the first run.
/// \param code  decoded for observer_set(options) \param plain  decoded for no observers
LaunchResult run_in_orders(const Code& code, const Code& plain, Device::State& device,
                           std::span<const Address> variables, LaunchShape shape,
                           std::span<const std::byte> parameters, const LaunchOptions& options);

}  // namespace warpwise::emulator
