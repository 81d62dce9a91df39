#pragma once

// Internal to the emulator: one launch of a decoded kernel, from the check of its arguments to its
// result.

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpwise/emulator/decode/code.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {

struct Watch;

struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  Address grid_workspace = 0;  ///< workspace for a cooperative launch
  int depth = 0;               ///< 0: launched by the host
  unsigned order = 0;          ///< order of blocks and warps, see Launch::order
  std::uint64_t order_seed = 0;
  Watch* watch = nullptr;
};

/// Returns the observers of a launch. Check::runtime needs the accesses of kernels. The observer of
/// races provides them, even if the launch does not check races.
inline ObserverSet launch_observers(const LaunchOptions& options) {
  const ObserverSet set = observer_set(options);
  if (!options.checks.has(Check::runtime)) return set;
  return set == ObserverSet::none     ? ObserverSet::checks
         : set == ObserverSet::counts ? ObserverSet::counts_and_checks
                                      : set;
}

/// Runs a kernel to its end.
/// \param code  the kernel, decoded for launch_observers(options)
/// \param variables  addresses of the module's variables on the device
/// \throws InvalidArgument  in the cases of Program::launch()
LaunchResult run_launch(const Code& code, Device::State& device, std::span<const Address> variables,
                        const LaunchShape& shape, std::span<const std::byte> parameters,
                        const LaunchOptions& options);

}  // namespace warpwise::emulator
