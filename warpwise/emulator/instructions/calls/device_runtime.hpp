#pragma once

// Internal to the emulator: functions of CUDA's runtime for kernels (dynamic parallelism).

#include <cstddef>
#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// A device function that the emulator implements itself, such as printf.
struct SystemCall {
  Handler handler = nullptr;
  std::size_t arguments = 0;
  std::size_t results = 0;
};

/// Returns true for the name of a function of the device's runtime, even an unsupported one.
bool is_device_runtime_call(std::string_view name);

/// Returns true for the function that allocates memory for the parameters of a kernel to launch.
bool gives_parameter_buffer(std::string_view name);

/// Returns the implementation of a device runtime function; null for other or unsupported
/// functions. Launches, copies and fills are recorded in Worker::launched. They run after the grid,
/// in the order of its blocks. Work of the tail stream runs last. A kernel cannot wait for its
/// launches. Operation::list is laid out as for system_call().
SystemCall device_runtime_call(ObserverSet observers, std::string_view name);

}  // namespace warpwise::emulator
