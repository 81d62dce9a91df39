// slow: a thread multiplies a sparse row of 32 values.
// fast: a warp multiplies the row.

extern "C" __global__ void slow(float* out, const float* values, const unsigned* columns,
                                const float* x) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 32 * row; k < 32 * row + 32; ++k) sum += values[k] * x[columns[k] & 131071];
  out[row] = sum;
}
extern "C" __global__ void fast(float* out, const float* values, const unsigned* columns,
                                const float* x) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = values[k] * x[columns[k] & 131071];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  if (threadIdx.x % 32 == 0) out[k / 32] = sum;
}
