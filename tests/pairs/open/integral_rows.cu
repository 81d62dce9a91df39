// slow: running sums along the rows of an image (an integral image's first pass), a thread a row.
// fast: a warp goes along a row, and adds within its 32 values by shuffles.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int x = 0; x < n; ++x) {
    sum += in[row * n + x];
    out[row * n + x] = sum;
  }
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  unsigned before = 0;
  for (int x = lane; x < n; x += 32) {
    unsigned sum = in[row * n + x];
    for (int step = 1; step < 32; step *= 2) {
      const unsigned other = __shfl_up_sync(0xffffffff, sum, step);
      if (lane >= step) sum += other;
    }
    sum += before;
    out[row * n + x] = sum;
    before = __shfl_sync(0xffffffff, sum, 31);
  }
}
