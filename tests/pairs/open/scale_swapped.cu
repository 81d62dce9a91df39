// slow: neighbouring threads take neighbouring rows of a matrix of doubles.
// fast: neighbouring threads take neighbouring columns.

extern "C" __global__ void slow(double* out, const double* in, const double* weights, int n) {
  const int row = blockIdx.x * 16 + threadIdx.x;
  const int column = blockIdx.y * 16 + threadIdx.y;
  out[row * n + column] = in[row * n + column] * weights[column];
}
extern "C" __global__ void fast(double* out, const double* in, const double* weights, int n) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  out[row * n + column] = in[row * n + column] * weights[column];
}
