#pragma once

// Internal to the emulator: one launch of a decoded kernel, from its checks to its result.

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpwise/emulator/decode/code.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

struct Watch;

struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  Address grid_workspace = 0;  ///< of a cooperative launch
  int depth = 0;               ///< 0: launched by the host
  unsigned order = 0;          ///< of blocks and warps, as in Launch
  std::uint64_t order_seed = 0;
  Watch* watch = nullptr;
};

/// Runs a kernel to its end. \param code  decoded for observer_set(options)
/// \param variables  addresses of the module's variables on the device
/// \throws InvalidArgument  as Program::launch
LaunchResult run_launch(const Code& code, Device::State& device, std::span<const Address> variables,
                        const LaunchShape& shape, std::span<const std::byte> parameters,
                        const LaunchOptions& options);

}  // namespace warpwise::emulator
