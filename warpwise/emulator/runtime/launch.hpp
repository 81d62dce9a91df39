#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/emulator/runtime/registry.hpp"

// What a launch is made of, whichever interface it came in through.
namespace warpwise::emulator::runtime {

/// What a launch states besides its shape.
struct LaunchMode {
  bool cooperative = false;  ///< its blocks may wait for each other: all must be resident at once
  std::optional<Dim3> cluster = {};
};

/// What a launch says of itself in its attributes.
LaunchMode mode_of(const cudaLaunchConfig_t& config);

/// Whether any GPU takes this shape.
bool is_launchable(dim3 grid, dim3 block);

/// The dynamic shared memory that a launch may have, in bytes: what the kernel asked for. One that
/// did not has what its static part leaves of the 48 KiB that every GPU gives a block; it is
/// negative where the static part alone is more.
std::int64_t dynamic_shared_limit(const KernelInfo& info, std::optional<int> asked_for);

/// Whether a kernel may ask for so much dynamic shared memory: with its static part, no more than
/// the GPU gives a block.
bool may_ask_for_shared(const KernelInfo& info, int bytes);

/// The parameter block of arguments that are given one by one.
std::vector<std::byte> parameters_of(const KernelInfo& info, void** arguments);

/// Makes the work of a launch, with copies of the arguments. Returns what the launch's call would:
/// an error where the kernel is not known or no GPU takes the shape.
cudaError_t prepare_launch(const void* function, dim3 grid, dim3 block, void** arguments,
                           std::size_t shared, const LaunchMode& mode,
                           std::function<cudaError_t()>& work);

/// Runs a kernel to its end and tells an observer. \param ptx  gives the text that it is of
cudaError_t run_kernel(Program& program, const std::string& name,
                       const std::function<std::string()>& ptx, dim3 grid, dim3 block,
                       std::size_t shared, const std::vector<std::byte>& parameters,
                       const LaunchMode& mode = {});

}  // namespace warpwise::emulator::runtime
