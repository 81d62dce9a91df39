// A tree in shared memory adds all numbers, without shuffles in the last warp.
__global__ void block_sums(int* out, const int* in, int count) {
  __shared__ int partial[256];
  const int thread = threadIdx.x;
  const int first = blockIdx.x * 1024 + thread;
  int sum = 0;
  for (int at = first; at < first + 1024 && at < count; at += 256) sum += in[at];
  partial[thread] = sum;
  for (int distance = 128; distance > 0; distance /= 2) {
    __syncthreads();
    if (thread < distance) partial[thread] += partial[thread + distance];
  }
  if (thread == 0) out[blockIdx.x] = partial[0];
}
