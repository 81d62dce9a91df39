// slow: a warp makes a tile of 16 x 16 by the matrix unit, from global memory.
// fast: a warp makes 32 x 32, and uses each fragment that it reads twice.

#include <mma.h>

template <int tiles>
__device__ void product(float* c, const __half* a, const __half* b, int n) {
  using namespace nvcuda::wmma;
  const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16 * tiles;
  const int column = blockIdx.x * 16 * tiles;
  fragment<accumulator, 16, 16, 16, float> sums[tiles][tiles];
  for (auto& line : sums) {
    for (auto& sum : line) fill_fragment(sum, 0);
  }
  for (int k = 0; k < n; k += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> left[tiles];
    fragment<matrix_b, 16, 16, 16, __half, row_major> right[tiles];
    for (int i = 0; i < tiles; ++i) {
      load_matrix_sync(left[i], a + (row + 16 * i) * n + k, n);
      load_matrix_sync(right[i], b + k * n + column + 16 * i, n);
    }
    for (int i = 0; i < tiles; ++i) {
      for (int j = 0; j < tiles; ++j) mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
    }
  }
  for (int i = 0; i < tiles; ++i) {
    for (int j = 0; j < tiles; ++j) {
      float* to = c + (row + 16 * i) * n + column + 16 * j;
      store_matrix_sync(to, sums[i][j], n, mem_row_major);
    }
  }
}
extern "C" __global__ void slow(float* c, const __half* a, const __half* b, int n) {
  product<1>(c, a, b, n);
}
extern "C" __global__ void fast(float* c, const __half* a, const __half* b, int n) {
  product<2>(c, a, b, n);
}
