// slow: a thread makes the running sums of a row.
// fast: a warp makes them, 32 elements at a time.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int x = 0; x < width; ++x) {
    sum += in[row * width + x];
    out[row * width + x] = sum;
  }
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int width) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  unsigned before = 0;
  for (int x = lane; x < width; x += 32) {
    unsigned sum = in[row * width + x];
    for (int distance = 1; distance < 32; distance *= 2) {
      const unsigned left = __shfl_up_sync(0xffffffff, sum, distance);
      if (lane >= distance) sum += left;
    }
    sum += before;
    out[row * width + x] = sum;
    before = __shfl_sync(0xffffffff, sum, 31);
  }
}
