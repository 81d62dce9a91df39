// fails: checks
// The last warp adds up the words of the other warps without waiting for them. The result is right
// only if that warp runs last.
__global__ void block_sums(int* out, const int* in, int count) {
  __shared__ volatile int partial[256];
  const int thread = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int at = blockIdx.x * 1024 + k * 256 + thread;
    sum += at < count ? in[at] : 0;
  }
  partial[thread] = sum;
  if (thread < 224) return;
  sum = 0;
  for (int warp = 0; warp < 8; ++warp) sum += partial[32 * warp + thread - 224];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  if (thread == 224) out[blockIdx.x] = sum;
}
