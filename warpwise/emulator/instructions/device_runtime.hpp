#pragma once

// Internal to the emulator: the part of CUDA's runtime that kernels call (dynamic parallelism).

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Whether a function is one that CUDA has kernels call by this name.
bool is_device_runtime_call(std::string_view name);

/// Whether a function gives a kernel memory for the parameters of another one.
bool gives_parameter_buffer(std::string_view name);

/// The handler of a function of the device's runtime, null for others. Launches and copies are
/// noted down (Worker::launched) and run when the grid has ended, in the order of its blocks: no
/// kernel can wait for what it has launched. Its list is as system_call()'s.
Handler device_runtime_call(ObserverSet observers, std::string_view name);

}  // namespace warpwise::emulator
