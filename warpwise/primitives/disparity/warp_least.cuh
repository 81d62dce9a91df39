#pragma once

// nvcc and NVRTC compile this file; it includes no host headers itself.
namespace warpwise::kernels::disparity {

/// Returns the least of a warp's values.
__device__ inline unsigned warp_least(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xffffffff, value);
#else
  for (int distance = 16; distance > 0; distance /= 2) {
    value = min(value, __shfl_xor_sync(0xffffffff, value, distance));
  }
  return value;
#endif
}

__device__ inline unsigned long long warp_least(unsigned long long value) {
  const unsigned high = warp_least(static_cast<unsigned>(value >> 32));
  const bool candidate = static_cast<unsigned>(value >> 32) == high;
  const unsigned low = warp_least(candidate ? static_cast<unsigned>(value) : ~0U);
  return static_cast<unsigned long long>(high) << 32 | low;
}

}  // namespace warpwise::kernels::disparity
