// slow: a product of halves is made by floating-point instructions, from tiles in shared memory.
// fast: a warp makes a tile of 16 x 16 by the matrix unit.

#include <mma.h>

extern "C" __global__ void slow(float* c, const __half* a, const __half* b, int n) {
  __shared__ __half tile_a[16][16];
  __shared__ __half tile_b[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < n; first += 16) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      sum += __half2float(tile_a[threadIdx.y][k]) * __half2float(tile_b[k][threadIdx.x]);
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void fast(float* c, const __half* a, const __half* b, int n) {
  using namespace nvcuda::wmma;
  const int row = (blockIdx.y * 4 + threadIdx.y) * 16;
  const int column = blockIdx.x * 16;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0);
  for (int k = 0; k < n; k += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> part_a;
    fragment<matrix_b, 16, 16, 16, __half, row_major> part_b;
    load_matrix_sync(part_a, a + row * n + k, n);
    load_matrix_sync(part_b, b + k * n + column, n);
    mma_sync(sum, part_a, part_b, sum);
  }
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}
