// slow: neighbouring threads take neighbouring rows, so that loads and stores go down columns.
// fast: neighbouring threads take neighbouring columns.

__device__ void element(float* c, const float* a, const float* b, int n, int row, int column) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
extern "C" __global__ void slow(float* c, const float* a, const float* b, int n) {
  element(c, a, b, n, blockIdx.x * 16 + threadIdx.x, blockIdx.y * 16 + threadIdx.y);
}
extern "C" __global__ void fast(float* c, const float* a, const float* b, int n) {
  element(c, a, b, n, blockIdx.y * 16 + threadIdx.y, blockIdx.x * 16 + threadIdx.x);
}
