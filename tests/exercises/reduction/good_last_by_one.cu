// Each warp adds its numbers by shuffles. One thread adds the sums of the eight warps.
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
  if (thread == 0) {
    sum = 0;
    for (int k = 0; k < 8; ++k) sum += partial[k];
    out[blockIdx.x] = sum;
  }
}
