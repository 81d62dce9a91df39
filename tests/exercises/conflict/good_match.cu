// The lanes with the same bin find one another, and the first of these lanes adds for all of them.
__global__ void histogram(int* out, const unsigned char* in, int groups) {
  __shared__ int counters[2][16];
  const int lane = threadIdx.x % 32;
  int* const own = counters[threadIdx.x / 32];
  if (lane < 16) own[lane] = 0;
  __syncwarp();
  for (int i = threadIdx.x; i < 1024; i += 64) {
    const int bin = in[blockIdx.x * 1024 + i] / 16;
    const unsigned same = __match_any_sync(~0u, bin);
    if (lane == __ffs(same) - 1) own[bin] += __popc(same);
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = counters[0][lane] + counters[1][lane];
}
