#pragma once

// Internal to the emulator: runs a launch in several orders of its blocks and warps, to find
// results that depend on the order.

#include <span>

#include "warpwise/emulator/execute/launch.hpp"

namespace warpwise::emulator {

/// Runs a launch as run_launch() does. Then runs it from the same memory in the other orders of
/// LaunchOptions::orders, without counts and checks, until there is a fault. A result that differs
/// from the first order's becomes a fault. The memory that the first run left is kept.
/// \param code  the kernel, decoded for launch_observers(options)
/// \param plain  the same kernel, decoded without observers
LaunchResult run_in_orders(const Code& code, const Code& plain, Device::State& device,
                           std::span<const Address> variables, LaunchShape shape,
                           std::span<const std::byte> parameters, const LaunchOptions& options);

}  // namespace warpwise::emulator
