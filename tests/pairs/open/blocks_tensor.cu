// slow: many products of matrices of 16 x 16 halves; a thread makes an element.
// fast: a warp makes a product by the matrix unit.

#include <mma.h>

extern "C" __global__ void slow(float* c, const __half* a, const __half* b) {
  const int first = blockIdx.x * 256;
  const int row = threadIdx.x / 16;
  const int column = threadIdx.x % 16;
  float sum = 0;
  for (int k = 0; k < 16; ++k) {
    sum += __half2float(a[first + row * 16 + k]) * __half2float(b[first + k * 16 + column]);
  }
  c[first + threadIdx.x] = sum;
}
extern "C" __global__ void fast(float* c, const __half* a, const __half* b) {
  using namespace nvcuda::wmma;
  const int first = (blockIdx.x * 8 + threadIdx.x / 32) * 256;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0);
  load_matrix_sync(left, a + first, 16);
  load_matrix_sync(right, b + first, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c + first, sum, 16, mem_row_major);
}
