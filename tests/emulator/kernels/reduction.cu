// Sums each block's elements: each warp sums by shuffles, then one warp sums the warps' sums.
extern "C" __global__ void reduce_sum(const int* from, int* sums, int count) {
  __shared__ int of_warps[32];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  int sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(count);
       i += gridDim.x * blockDim.x) {
    sum += from[i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) of_warps[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = lane < (blockDim.x + 31) / 32 ? of_warps[lane] : 0;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (lane == 0) sums[blockIdx.x] = sum;
}

// Finds the maximum of a block's floats by halving in shared memory. In this textbook form, half of
// the threads idle.
extern "C" __global__ void reduce_maximum(const float* from, float* maxima, int count) {
  __shared__ float values[256];
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  values[threadIdx.x] = i < static_cast<unsigned>(count) ? from[i] : -__int_as_float(0x7f800000);
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      values[threadIdx.x] = fmaxf(values[threadIdx.x], values[threadIdx.x + half]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) maxima[blockIdx.x] = values[0];
}
