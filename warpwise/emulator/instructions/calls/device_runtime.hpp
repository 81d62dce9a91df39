#pragma once

// Internal to the emulator: the functions of CUDA's runtime that kernels call (dynamic
// parallelism).

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns true for the name of a CUDA runtime function that kernels can call.
bool is_device_runtime_call(std::string_view name);

/// Returns true for the function that allocates memory for the parameters of a kernel to launch.
bool gives_parameter_buffer(std::string_view name);

/// Returns the handler of a function of the device's runtime, null for others. Launches and copies
/// are recorded in Worker::launched, and run when the grid has ended, in the order of its blocks.
/// No kernel can wait for its launches. Operation::list is laid out as for system_call().
Handler device_runtime_call(ObserverSet observers, std::string_view name);

}  // namespace warpwise::emulator
