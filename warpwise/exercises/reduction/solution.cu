// out[b] becomes the sum of elements 1024 b … 1024 b + 1023. Elements beyond `count` are left out.
__global__ void block_sums(int* out, const int* in, int count) {
  __shared__ int partial[256];
  const int thread = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int at = blockIdx.x * 1024 + k * 256 + thread;
    sum += at < count ? in[at] : 0;
  }
  partial[thread] = sum;
  __syncthreads();
  for (int distance = 128; distance >= 32; distance /= 2) {
    if (thread < distance) partial[thread] += partial[thread + distance];
    __syncthreads();
  }
  if (thread >= 32) return;
  sum = partial[thread];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  if (thread == 0) out[blockIdx.x] = sum;
}
