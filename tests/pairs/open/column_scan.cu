// slow: running sums down the columns of an image, one thread for each column.
// fast: 32 threads share a column. Each sums its part, then scans it from the earlier parts' total.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int row = 0; row < n; ++row) {
    sum += in[row * n + column];
    out[row * n + column] = sum;
  }
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int n) {
  __shared__ unsigned sums[32][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  const int rows = n / 32;
  const int first = threadIdx.y * rows;
  unsigned sum = 0;
  for (int k = 0; k < rows; ++k) sum += in[(first + k) * n + column];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < threadIdx.y; ++k) sum += sums[k][threadIdx.x];
  for (int k = 0; k < rows; ++k) {
    sum += in[(first + k) * n + column];
    out[(first + k) * n + column] = sum;
  }
}
