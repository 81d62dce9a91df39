// The warps add their sums to one word of shared memory by atomics.
__global__ void block_sums(int* out, const int* in, int count) {
  __shared__ int all;
  const int thread = threadIdx.x;
  if (thread == 0) all = 0;
  __syncthreads();
  int sum = 0;
  for (int i = thread; i < 1024; i += 256) {
    const int at = blockIdx.x * 1024 + i;
    if (at < count) sum += in[at];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (thread % 32 == 0) atomicAdd(&all, sum);
  __syncthreads();
  if (thread == 0) out[blockIdx.x] = all;
}
