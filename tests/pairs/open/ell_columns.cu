// slow: the entries of a row of a sparse matrix lie side by side, so that lanes read 24 words
// apart.
// fast: the first entries of all rows lie side by side, then the second ones, and so on.

extern "C" __global__ void slow(float* out, const float* values, const unsigned* columns,
                                const float* x, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 24; ++k) sum += values[row * 24 + k] * x[columns[row * 24 + k] & (rows - 1)];
  out[row] = sum;
}
extern "C" __global__ void fast(float* out, const float* values, const unsigned* columns,
                                const float* x, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 24; ++k)
    sum += values[k * rows + row] * x[columns[k * rows + row] & (rows - 1)];
  out[row] = sum;
}
