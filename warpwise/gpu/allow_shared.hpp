#pragma once

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

#include <cstddef>
#include <mutex>
#include <source_location>

#include "warpwise/gpu/check.hpp"

namespace warpwise::gpu {

/// Lets a kernel's blocks have `bytes` of dynamic shared memory. The limit belongs to the kernel on
/// its device. It is never lowered, because another thread may be about to launch the kernel with
/// more, and a launch that was recorded in a graph may need more.
/// \param name  the kernel's name in error messages
/// \throws CudaError  no block of this device can have so much
inline void allow_shared(const void* kernel, std::size_t bytes, const char* name,
                         std::source_location where = std::source_location::current()) {
  constexpr std::size_t everywhere = 48 << 10;  // every GPU's default; more must be requested
  if (bytes <= everywhere) return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  cudaFuncAttributes now{};
  check(cudaFuncGetAttributes(&now, kernel), name, where);
  const int wanted = static_cast<int>(bytes);
  if (wanted <= now.maxDynamicSharedSizeBytes) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, wanted), name,
        where);
}

}  // namespace warpwise::gpu
