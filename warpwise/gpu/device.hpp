#pragma once

#include <cstdint>
#include <string>

#include "warpwise/base/export.hpp"

namespace warpwise::gpu {

/// Returns the number of GPUs that CUDA can use. It is 0 without a GPU, without a driver and in a
/// build without CUDA. Never throws.
WARPWISE_EXPORT int device_count() noexcept;

/// Returns in words why device_count() is 0; an empty string if it is not 0.
WARPWISE_EXPORT std::string why_no_device();

/// Properties of a GPU that `warpwise devices` prints.
struct DeviceInfo {
  std::string name;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t max_shared_bytes = 0;  ///< most shared memory that a thread block can opt in to
  int driver_version = 0;             ///< CUDA version of the driver, 13000 for 13.0
  int runtime_version = 0;            ///< CUDA version that this build links
};

/// Returns the properties of a device.
/// \throws NoCudaDevice     there is no GPU.
/// \throws InvalidArgument  `device` is not in [0, device_count()).  \throws CudaError
WARPWISE_EXPORT DeviceInfo device_info(int device);

/// Makes `device` the calling thread's current one.
/// \throws NoCudaDevice, InvalidArgument, CudaError  in the cases of device_info().
WARPWISE_EXPORT void set_device(int device);

/// Returns the calling thread's current device. \throws NoCudaDevice, CudaError
WARPWISE_EXPORT int current_device();

/// Returns the free bytes of the current device's memory. Memory that Warpwise's own pool keeps
/// does not count as free. \throws NoCudaDevice, CudaError
WARPWISE_EXPORT std::int64_t free_memory_bytes();

/// Throws if there is no GPU. \throws NoCudaDevice  with the reason
WARPWISE_EXPORT void require_device();

/// Waits for all work on the current device. \throws NoCudaDevice  \throws CudaError  work failed.
WARPWISE_EXPORT void synchronize_device();

}  // namespace warpwise::gpu
