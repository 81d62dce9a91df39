// slow: products of queries and keys are made by floating-point instructions, from shared tiles.
// fast: a warp makes a tile of 16 x 16 scores by the matrix unit.

#include <mma.h>

extern "C" __global__ void slow(float* scores, const __half* queries, const __half* keys) {
  __shared__ __half tile_q[16][16];
  __shared__ __half tile_k[16][17];
  const int head = blockIdx.z;
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int other = blockIdx.x * 16 + threadIdx.y;
  float sum = 0;
  for (int first = 0; first < 64; first += 16) {
    tile_q[threadIdx.y][threadIdx.x] = queries[(head * 512 + row) * 64 + first + threadIdx.x];
    tile_k[threadIdx.y][threadIdx.x] = keys[(head * 512 + other) * 64 + first + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      sum = fmaf(__half2float(tile_q[threadIdx.y][k]), __half2float(tile_k[threadIdx.x][k]), sum);
    }
    __syncthreads();
  }
  scores[(head * 512 + row) * 512 + blockIdx.x * 16 + threadIdx.x] = 0.125F * sum;
}
extern "C" __global__ void fast(float* scores, const __half* queries, const __half* keys) {
  using namespace nvcuda::wmma;
  const int head = blockIdx.z;
  const int row = (blockIdx.y * 4 + threadIdx.y) * 16;
  const int column = blockIdx.x * 16;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0F);
  for (int first = 0; first < 64; first += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> q;
    fragment<matrix_b, 16, 16, 16, __half, col_major> k;
    load_matrix_sync(q, queries + (head * 512 + row) * 64 + first, 64);
    load_matrix_sync(k, keys + (head * 512 + column) * 64 + first, 64);
    mma_sync(sum, q, k, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 0.125F;
  store_matrix_sync(scores + (head * 512 + row) * 512 + column, sum, 512, mem_row_major);
}
