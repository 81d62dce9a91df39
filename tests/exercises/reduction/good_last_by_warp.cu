// Each warp adds its numbers by shuffles. The first warp adds the eight sums by shuffles too.
__global__ void block_sums(int* out, const int* in, int count) {
  __shared__ int partial[8];
  const int thread = threadIdx.x;
  int sum = 0;
  for (int i = thread; i < 1024; i += 256) {
    const int at = blockIdx.x * 1024 + i;
    if (at < count) sum += in[at];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (thread % 32 == 0) partial[thread / 32] = sum;
  __syncthreads();
  if (thread >= 32) return;
  sum = thread < 8 ? partial[thread] : 0;
  for (int d = 4; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (thread == 0) out[blockIdx.x] = sum;
}
