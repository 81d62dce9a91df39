// slow: a block waits for each tile of a codebook before it looks for the nearest codes.
// fast: the next tile is copied while a block looks through the present one.

#include <cuda_pipeline.h>

struct Nearest {
  float distance;
  unsigned code;
};
__device__ void look(Nearest& nearest, const float4& point, const float4* tile, unsigned first) {
#pragma unroll 4
  for (unsigned k = 0; k < 256; ++k) {
    const float4 code = tile[k];
    const float x = point.x - code.x;
    const float y = point.y - code.y;
    const float z = point.z - code.z;
    const float w = point.w - code.w;
    const float distance = fmaf(w, w, fmaf(z, z, fmaf(y, y, __fmul_rn(x, x))));
    if (distance < nearest.distance) nearest = {distance, first + k};
  }
}
extern "C" __global__ void slow(unsigned* out, const float4* points, const float4* codes, int n) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 point = points[i];
  Nearest nearest = {1e30F, 0};
  for (int first = 0; first < n; first += 256) {
    tile[threadIdx.x] = codes[first + threadIdx.x];
    __syncthreads();
    look(nearest, point, tile, first);
    __syncthreads();
  }
  out[i] = nearest.code;
}
extern "C" __global__ void fast(unsigned* out, const float4* points, const float4* codes, int n) {
  __shared__ float4 tiles[2][256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 point = points[i];
  Nearest nearest = {1e30F, 0};
  __pipeline_memcpy_async(&tiles[0][threadIdx.x], &codes[threadIdx.x], 16);
  __pipeline_commit();
  for (int first = 0; first < n; first += 256) {
    const int now = first / 256 % 2;
    if (first + 256 < n) {
      __pipeline_memcpy_async(&tiles[1 - now][threadIdx.x], &codes[first + 256 + threadIdx.x], 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    look(nearest, point, tiles[now], first);
    __syncthreads();
  }
  out[i] = nearest.code;
}
