// slow: a block loads 1024 samples to shared memory, waits, and filters.
// fast: copies of two further tiles are under way while a block filters.

#include <cuda_pipeline.h>

__device__ float filtered(const float4* tile) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float4 v = tile[(threadIdx.x + k) & 255];
    sum = 0.75F * sum + (v.x - 0.5F * v.y + 0.25F * v.z + 0.125F * v.w);
  }
  return sum;
}
extern "C" __global__ void slow(float* out, const float* in, int tiles) {
  __shared__ float4 tile[256];
  const float4* from = reinterpret_cast<const float4*>(in);
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    const int i = (k * gridDim.x + blockIdx.x) * 256 + threadIdx.x;
    tile[threadIdx.x] = from[i];
    __syncthreads();
    out[i] = filtered(tile);
    __syncthreads();
  }
}
extern "C" __global__ void fast(float* out, const float* in, int tiles) {
  __shared__ float4 tile[3][256];
  const float4* from = reinterpret_cast<const float4*>(in);
  const auto copy = [&](int k) {
    if (k < tiles) {
      const int i = (k * gridDim.x + blockIdx.x) * 256 + threadIdx.x;
      __pipeline_memcpy_async(&tile[k % 3][threadIdx.x], &from[i], 16);
    }
    __pipeline_commit();
  };
  copy(0);
  copy(1);
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    copy(k + 2);
    __pipeline_wait_prior(2);
    __syncthreads();
    out[(k * gridDim.x + blockIdx.x) * 256 + threadIdx.x] = filtered(tile[k % 3]);
    __syncthreads();
  }
}
