#pragma once

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/shared/ladder.hpp"

// Converts the library's own launches to launches of a ladder.
namespace warpwise::ladders {

/// Converts a launch. \param name  the kernel's name in the ladder's shipped.cu
template <class Kernel>
Launch launch_of(const gpu::Launch<Kernel>& launch, std::string name) {
  const std::span<const std::byte> bytes = launch.parameters.bytes();
  return {.kernel = std::move(name),
          .grid = {launch.grid.x, launch.grid.y, 1},
          .block = {launch.block.x, launch.block.y, 1},
          .shared_bytes = launch.shared_bytes,
          .arguments = {bytes.begin(), bytes.end()}};
}

/// Converts a launch. The kernel's name comes from kernel_name() in the primitive's launch.hpp.
template <class Kernel>
Launch launch_of(const gpu::Launch<Kernel>& launch) {
  return launch_of(launch, kernel_name(launch.kernel));
}

}  // namespace warpwise::ladders
