#pragma once

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

#include "warpwise/gpu/check.hpp"

namespace warpwise::gpu {

/// Returns a limit of the current device from a query of one attribute; device_info() takes far
/// longer.
inline int device_limit(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace warpwise::gpu
