// slow: a matrix of 4 x 4 is inverted in loops whose indices are not known, in local memory.
// fast: the loops are unrolled, and the matrix lies in registers.

template <int UNROLL>
__device__ void invert(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[4][4];
#pragma unroll UNROLL
  for (int r = 0; r < 4; ++r) {
#pragma unroll UNROLL
    for (int c = 0; c < 4; ++c) a[r][c] = in[(4 * r + c) * n + i] + (r == c ? 4.0F : 0.0F);
  }
#pragma unroll UNROLL
  for (int p = 0; p < 4; ++p) {
    const float inverse = 1 / a[p][p];
    a[p][p] = 1;
#pragma unroll UNROLL
    for (int c = 0; c < 4; ++c) a[p][c] *= inverse;
#pragma unroll UNROLL
    for (int r = 0; r < 4; ++r) {
      if (r == p) continue;
      const float factor = a[r][p];
      a[r][p] = 0;
#pragma unroll UNROLL
      for (int c = 0; c < 4; ++c) a[r][c] -= factor * a[p][c];
    }
  }
#pragma unroll UNROLL
  for (int r = 0; r < 4; ++r) {
#pragma unroll UNROLL
    for (int c = 0; c < 4; ++c) out[(4 * r + c) * n + i] = a[r][c];
  }
}
extern "C" __global__ void slow(float* out, const float* in, int n) { invert<1>(out, in, n); }
extern "C" __global__ void fast(float* out, const float* in, int n) { invert<4>(out, in, n); }
