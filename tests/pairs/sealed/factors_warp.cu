// slow: a block factors a matrix in shared memory, with two barriers for each pivot.
// fast: a warp factors it; each lane keeps a column in registers.

extern "C" __global__ void slow(float* out, const float* in) {
  __shared__ float a[32][33];
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  const int i = blockIdx.x * 1024 + row * 32 + column;
  a[row][column] = in[i] + (row == column ? 32.0F : 0.0F);
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < 31; ++k) {
    if (column == k && row > k) a[row][k] /= a[k][k];
    __syncthreads();
    if (column > k && row > k) a[row][column] -= a[row][k] * a[k][column];
    __syncthreads();
  }
  out[i] = a[row][column];
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int lane = threadIdx.x & 31;
  const int first = (blockIdx.x * 4 + threadIdx.x / 32) * 1024 + lane;
  float a[32];
#pragma unroll
  for (int r = 0; r < 32; ++r) a[r] = in[first + 32 * r] + (r == lane ? 32.0F : 0.0F);
#pragma unroll
  for (int k = 0; k < 31; ++k) {
    const float inverse = 1.0F / __shfl_sync(0xFFFFFFFF, a[k], k);
#pragma unroll
    for (int r = k + 1; r < 32; ++r) {
      const float factor = __shfl_sync(0xFFFFFFFF, a[r], k) * inverse;
      if (lane > k) a[r] -= factor * a[k];
      if (lane == k) a[r] = factor;
    }
  }
#pragma unroll
  for (int r = 0; r < 32; ++r) out[first + 32 * r] = a[r];
}
