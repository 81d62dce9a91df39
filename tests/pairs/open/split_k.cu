// slow: 16 blocks make a product of a 64 x 32768 with a 32768 x 64 matrix.
// fast: 64 times as many blocks take a part of the long side each, and add up by atomics.

__device__ float part(const float* a, const float* b, int first, int count) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  float sum = 0;
  for (int k = first; k < first + count; k += 16) {
    tile_a[ty][tx] = a[(k + ty) * 64 + blockIdx.y * 16 + tx];
    tile_b[ty][tx] = b[(k + ty) * 64 + blockIdx.x * 16 + tx];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j) sum += tile_a[j][ty] * tile_b[j][tx];
    __syncthreads();
  }
  return sum;
}
extern "C" __global__ void slow(float* c, const float* a, const float* b, int count) {
  const int place = (blockIdx.y * 16 + threadIdx.y) * 64 + blockIdx.x * 16 + threadIdx.x;
  c[place] = part(a, b, 0, count);
}
extern "C" __global__ void fast(float* c, const float* a, const float* b, int count) {
  const int place = (blockIdx.y * 16 + threadIdx.y) * 64 + blockIdx.x * 16 + threadIdx.x;
  atomicAdd(&c[place], part(a, b, blockIdx.z * count, count));
}
