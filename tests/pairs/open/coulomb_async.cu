// slow: the potential of charges on a plane; a block loads a tile of charges, waits, and adds.
// fast: the next tile is copied while a block adds the charges of this one.

#include <cuda_pipeline.h>

__device__ float potential(const float4* tile, float x, float y) {
  float sum = 0;
  for (int k = 0; k < 256; ++k) {
    const float4 charge = tile[k];
    const float dx = charge.x - x;
    const float dy = charge.y - y;
    sum += charge.w * rsqrtf(dx * dx + dy * dy + charge.z * charge.z + 0.001F);
  }
  return sum;
}
extern "C" __global__ void slow(float* out, const float4* charges, int count, int n) {
  __shared__ float4 tile[256];
  const int column = blockIdx.x * 256 + threadIdx.x;
  const float x = static_cast<float>(column) / static_cast<float>(n);
  const float y = static_cast<float>(blockIdx.y) / static_cast<float>(n);
  float sum = 0;
  for (int first = 0; first < count; first += 256) {
    tile[threadIdx.x] = charges[first + threadIdx.x];
    __syncthreads();
    sum += potential(tile, x, y);
    __syncthreads();
  }
  out[blockIdx.y * n + column] = sum;
}
extern "C" __global__ void fast(float* out, const float4* charges, int count, int n) {
  __shared__ float4 tile[2][256];
  const int column = blockIdx.x * 256 + threadIdx.x;
  const float x = static_cast<float>(column) / static_cast<float>(n);
  const float y = static_cast<float>(blockIdx.y) / static_cast<float>(n);
  __pipeline_memcpy_async(&tile[0][threadIdx.x], &charges[threadIdx.x], 16);
  __pipeline_commit();
  float sum = 0;
  int now = 0;
  for (int first = 0; first < count; first += 256) {
    if (first + 256 < count) {
      const float4* from = &charges[first + 256 + threadIdx.x];
      __pipeline_memcpy_async(&tile[1 - now][threadIdx.x], from, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += potential(tile[now], x, y);
    __syncthreads();
    now = 1 - now;
  }
  out[blockIdx.y * n + column] = sum;
}
