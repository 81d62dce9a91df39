// Inclusive prefix sums of one block of at most 1024 threads.
extern "C" __global__ void scan_shared(const unsigned* from, unsigned* to, int count) {
  // The scan by Hillis and Steele: two buffers take turns to be read and written.
  __shared__ unsigned buffers[2][1024];
  const unsigned i = threadIdx.x;
  int current = 0;
  buffers[0][i] = i < static_cast<unsigned>(count) ? from[i] : 0;
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const unsigned own = buffers[current][i];
    buffers[1 - current][i] = i >= step ? own + buffers[current][i - step] : own;
    current = 1 - current;
    __syncthreads();
  }
  if (i < static_cast<unsigned>(count)) to[i] = buffers[current][i];
}

extern "C" __global__ void scan_warps(const unsigned* from, unsigned* to, int count) {
  __shared__ unsigned sums[32];
  const unsigned i = threadIdx.x;
  const unsigned lane = i % 32;
  unsigned sum = i < static_cast<unsigned>(count) ? from[i] : 0;
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned below = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step) sum += below;
  }
  if (lane == 31) sums[i / 32] = sum;
  __syncthreads();
  unsigned before = 0;
  for (unsigned warp = 0; warp < i / 32; ++warp) before += sums[warp];
  if (i < static_cast<unsigned>(count)) to[i] = before + sum;
}
