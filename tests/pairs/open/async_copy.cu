// slow: a block loads a tile into shared memory, waits, and computes.
// fast: copies of three further tiles are under way while a block computes.

#include <cuda_pipeline.h>

__device__ float use(const float* tile) {
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum = 0.5F * sum + tile[(threadIdx.x + 32 * k) & 255];
  return sum;
}
extern "C" __global__ void slow(float* out, const float* in, int tiles) {
  __shared__ float tile[256];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    tile[threadIdx.x] = in[(k * gridDim.x + blockIdx.x) * 256 + threadIdx.x];
    __syncthreads();
    sum += use(tile);
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void fast(float* out, const float* in, int tiles) {
  __shared__ float tile[4][256];
  const auto copy = [&](int k) {
    if (k < tiles) {
      const float* from = &in[(k * gridDim.x + blockIdx.x) * 256 + threadIdx.x];
      __pipeline_memcpy_async(&tile[k & 3][threadIdx.x], from, 4);
    }
    __pipeline_commit();
  };
  for (int k = 0; k < 3; ++k) copy(k);
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    copy(k + 3);
    __pipeline_wait_prior(3);
    __syncthreads();
    sum += use(tile[k & 3]);
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
