// Multiplies two 16 x 16 matrices of halves on tensor cores.
#include <mma.h>

extern "C" __global__ void tensor(const __half* a, const __half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> of_a;
  fragment<matrix_b, 16, 16, 16, __half, col_major> of_b;
  fragment<accumulator, 16, 16, 16, float> of_c;
  load_matrix_sync(of_a, a, 16);
  load_matrix_sync(of_b, b, 16);
  fill_fragment(of_c, 0.0f);
  mma_sync(of_c, of_a, of_b, of_c);
  store_matrix_sync(c, of_c, 16, mem_row_major);
}
