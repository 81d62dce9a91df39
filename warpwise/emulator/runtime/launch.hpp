#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/emulator/runtime/code/registry.hpp"

// Prepares and runs launches, for the runtime API and the driver API.
namespace warpwise::emulator::runtime {

/// Properties of a launch besides its shape.
struct LaunchMode {
  bool cooperative = false;  ///< its blocks may wait for each other, so all must be resident
  std::optional<Dim3> cluster = {};
};

/// Reads the attributes of a launch.
LaunchMode mode_of(const cudaLaunchConfig_t& config);

/// Returns true if any GPU supports this shape.
bool is_launchable(dim3 grid, dim3 block);

/// Returns the limit of a launch's dynamic shared memory in bytes.
///
/// - If the program has asked for a size for this kernel, the limit is that size.
/// - Otherwise the limit is the rest of the 48 KiB that every GPU gives a block, after the static
///   part. The limit is negative if the static part alone is larger.
std::int64_t dynamic_shared_limit(const KernelInfo& info, std::optional<int> asked_for);

/// Returns true if a kernel may request this much dynamic shared memory. Together with the kernel's
/// static part, the memory must fit into the GPU's limit for a block.
bool may_ask_for_shared(const KernelInfo& info, int bytes);

/// Builds the parameter block from separate arguments.
std::vector<std::byte> parameters_of(const KernelInfo& info, void** arguments);

/// Makes the work of a launch, with copies of the arguments. Returns an error for an unknown
/// kernel, or for a launch that the GPU would refuse.
cudaError_t prepare_launch(const void* function, dim3 grid, dim3 block, void** arguments,
                           std::size_t shared, const LaunchMode& mode,
                           std::function<cudaError_t()>& work);

/// Runs a kernel and notifies the observer. \param ptx  returns the PTX of the kernel's module
cudaError_t run_kernel(Program& program, const std::string& name,
                       const std::function<std::string()>& ptx, dim3 grid, dim3 block,
                       std::size_t shared, const std::vector<std::byte>& parameters,
                       const LaunchMode& mode = {});

}  // namespace warpwise::emulator::runtime
