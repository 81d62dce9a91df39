// slow: a product of matrices of bytes is made by integer instructions, from tiles.
// fast: a warp makes a tile of 16 x 16 by the matrix unit for integers.

#include <mma.h>

extern "C" __global__ void slow(int* c, const unsigned char* a, const unsigned char* b, int n) {
  __shared__ unsigned char tile_a[16][20];
  __shared__ unsigned char tile_b[16][20];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  int sum = 0;
  for (int first = 0; first < n; first += 16) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(blockIdx.x * 16 + threadIdx.y) * n + first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile_a[threadIdx.y][k] * tile_b[threadIdx.x][k];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void fast(int* c, const unsigned char* a, const unsigned char* b, int n) {
  using namespace nvcuda::wmma;
  const int row = (blockIdx.y * 4 + threadIdx.y) * 16;
  const int column = blockIdx.x * 16;
  fragment<accumulator, 16, 16, 16, int> sum;
  fill_fragment(sum, 0);
  for (int k = 0; k < n; k += 16) {
    fragment<matrix_a, 16, 16, 16, unsigned char, row_major> part_a;
    fragment<matrix_b, 16, 16, 16, unsigned char, col_major> part_b;
    load_matrix_sync(part_a, a + row * n + k, n);
    load_matrix_sync(part_b, b + column * n + k, n);
    mma_sync(sum, part_a, part_b, sum);
  }
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}
