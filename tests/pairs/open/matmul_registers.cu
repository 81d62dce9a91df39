// slow: a thread makes one element of a product from tiles in shared memory.
// fast: a thread makes 4 x 4 elements, and reads each number of the tiles for four of them.

extern "C" __global__ void slow(float* c, const float* a, const float* b, int n) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < n; first += 16) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void fast(float* c, const float* a, const float* b, int n) {
  __shared__ float tile_a[64][17];
  __shared__ float tile_b[16][64];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  float sums[4][4] = {};
  for (int first = 0; first < n; first += 16) {
    for (int k = 0; k < 4; ++k) {
      const int row = threadIdx.y + 16 * k;
      tile_a[row][threadIdx.x] = a[(blockIdx.y * 64 + row) * n + first + threadIdx.x];
      tile_b[thread / 64 + 4 * k][thread % 64] =
          b[(first + thread / 64 + 4 * k) * n + blockIdx.x * 64 + thread % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sums[i][j] += tile_a[threadIdx.y + 16 * i][k] * tile_b[k][threadIdx.x + 16 * j];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = blockIdx.y * 64 + threadIdx.y + 16 * i;
      c[row * n + blockIdx.x * 64 + threadIdx.x + 16 * j] = sums[i][j];
    }
  }
}
