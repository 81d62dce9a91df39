// slow: 64 features of each pixel become 64 others by floating-point instructions.
// fast: a warp makes the features of 16 pixels by the matrix unit.

#include <mma.h>

extern "C" __global__ void slow(float* out, const __half* in, const __half* weights) {
  __shared__ __half kernel[64][64];
  __shared__ __half pixels[16][64];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  for (int k = ty; k < 64; k += 4) kernel[k][tx] = weights[k * 64 + tx];
  for (int p = ty; p < 16; p += 4) pixels[p][tx] = in[(blockIdx.x * 16 + p) * 64 + tx];
  __syncthreads();
  float sums[4] = {};
#pragma unroll 8
  for (int k = 0; k < 64; ++k) {
    const float weight = __half2float(kernel[k][tx]);
#pragma unroll
    for (int p = 0; p < 4; ++p) sums[p] += __half2float(pixels[4 * ty + p][k]) * weight;
  }
#pragma unroll
  for (int p = 0; p < 4; ++p) out[(blockIdx.x * 16 + 4 * ty + p) * 64 + tx] = sums[p];
}
extern "C" __global__ void fast(float* out, const __half* in, const __half* weights) {
  using namespace nvcuda::wmma;
  const int first = (blockIdx.x * 4 + threadIdx.y) * 16;
  fragment<accumulator, 16, 16, 16, float> sums[4];
#pragma unroll
  for (int c = 0; c < 4; ++c) fill_fragment(sums[c], 0);
#pragma unroll
  for (int k = 0; k < 64; k += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> pixels;
    load_matrix_sync(pixels, in + first * 64 + k, 64);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      fragment<matrix_b, 16, 16, 16, __half, row_major> kernel;
      load_matrix_sync(kernel, weights + k * 64 + c * 16, 64);
      mma_sync(sums[c], pixels, kernel, sums[c]);
    }
  }
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    store_matrix_sync(out + first * 64 + c * 16, sums[c], 64, mem_row_major);
  }
}
