#pragma once

// Internal to the emulator: functions of CUDA's runtime for kernels (dynamic parallelism).

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns true for the name of a function of the device's runtime, even an unsupported one.
bool is_device_runtime_call(std::string_view name);

/// Returns true for the function that allocates memory for the parameters of a kernel to launch.
bool gives_parameter_buffer(std::string_view name);

/// Returns the handler of a function of the device's runtime, null for others and unsupported ones.
/// Launches, copies and fills are recorded in Worker::launched. They run after the grid, in the
/// order of its blocks, those in the tail stream last. No kernel can wait for its launches.
/// Operation::list is laid out as for system_call().
Handler device_runtime_call(ObserverSet observers, std::string_view name);

}  // namespace warpwise::emulator
