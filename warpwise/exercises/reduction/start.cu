// out[b] becomes the sum of elements 1024 b … 1024 b + 1023. Elements beyond `count` are left out.
__global__ void block_sums(int* out, const int* in, int count) {
  __shared__ int partial[1024];
  const int thread = threadIdx.x;
  for (int i = thread; i < 1024; i += 256) {
    const int at = blockIdx.x * 1024 + i;
    partial[i] = at < count ? in[at] : 0;
  }
  __syncthreads();
  for (int distance = 1; distance < 1024; distance *= 2) {
    for (int i = thread; i < 1024; i += 256) {
      if (i % (2 * distance) == 0) partial[i] += partial[i + distance];
    }
  }
  if (thread == 0) out[blockIdx.x] = partial[0];
}
