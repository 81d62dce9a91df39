// slow: each thread reads a row and a column of the matrices from global memory.
// fast: a block keeps tiles of both in shared memory.

extern "C" __global__ void slow(float* c, const float* a, const float* b, int n) {
  const int row = blockIdx.y * 32 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
extern "C" __global__ void fast(float* c, const float* a, const float* b, int n) {
  __shared__ float tile_a[32][32];
  __shared__ float tile_b[32][32];
  const int row = blockIdx.y * 32 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < n; first += 32) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
