// slow: each thread counts into 32 bins of its own, which lie together in shared memory.
// fast: the bins lie so that a thread's bins are all in its own bank.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned counts[128 * 32];
  for (int k = 0; k < 32; ++k) counts[k * 128 + threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 32; ++k) {
    const unsigned word = in[(blockIdx.x * 32 + k) * 128 + threadIdx.x];
    for (int shift = 0; shift < 32; shift += 8) {
      ++counts[threadIdx.x * 32 + (word >> shift & 31)];
    }
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    unsigned sum = 0;
    for (int k = 0; k < 128; ++k) sum += counts[k * 32 + threadIdx.x];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
  }
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned counts[32 * 128];
  for (int k = 0; k < 32; ++k) counts[k * 128 + threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 32; ++k) {
    const unsigned word = in[(blockIdx.x * 32 + k) * 128 + threadIdx.x];
    for (int shift = 0; shift < 32; shift += 8) {
      ++counts[(word >> shift & 31) * 128 + threadIdx.x];
    }
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    unsigned sum = 0;
    for (int k = 0; k < 128; ++k) {
      sum += counts[threadIdx.x * 128 + ((k + threadIdx.x) & 127)];
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum;
  }
}
