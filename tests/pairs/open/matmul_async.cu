// slow: a block of a matrix product loads two tiles, waits for them, and multiplies.
// fast: the next two tiles are copied while a block multiplies.

#include <cuda_pipeline.h>

struct Tiles {
  float a[16][16];
  float b[16][16];
};
__device__ float multiply(const Tiles& tiles, float sum) {
  for (int k = 0; k < 16; ++k) sum += tiles.a[threadIdx.y][k] * tiles.b[k][threadIdx.x];
  return sum;
}
extern "C" __global__ void slow(float* c, const float* a, const float* b, int n) {
  __shared__ Tiles tiles;
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < n; first += 16) {
    tiles.a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    tiles.b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
    __syncthreads();
    sum = multiply(tiles, sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void fast(float* c, const float* a, const float* b, int n) {
  __shared__ Tiles tiles[2];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  const auto copy = [&](int first, Tiles& to) {
    if (first < n) {
      __pipeline_memcpy_async(&to.a[threadIdx.y][threadIdx.x], &a[row * n + first + threadIdx.x],
                              4);
      __pipeline_memcpy_async(&to.b[threadIdx.y][threadIdx.x],
                              &b[(first + threadIdx.y) * n + column], 4);
    }
    __pipeline_commit();
  };
  copy(0, tiles[0]);
  float sum = 0;
  for (int first = 0; first < n; first += 16) {
    copy(first + 16, tiles[first / 16 % 2 ^ 1]);
    __pipeline_wait_prior(1);
    __syncthreads();
    sum = multiply(tiles[first / 16 % 2], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}
