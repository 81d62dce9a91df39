#pragma once

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

#include <cuda_runtime_api.h>

#include <source_location>

namespace warpwise::gpu {

/// Throws for any error but cudaSuccess: NoCudaDevice when there is no driver or no device,
/// CudaError otherwise, with the runtime's text, `what` and the caller's place.
void check(cudaError_t error, const char* what,
           std::source_location where = std::source_location::current());

/// Checks the launch just made: write `check_launch("sobel")` after every `<<<>>>`.
inline void check_launch(const char* kernel,
                         std::source_location where = std::source_location::current()) {
  check(cudaGetLastError(), kernel, where);
}

}  // namespace warpwise::gpu
