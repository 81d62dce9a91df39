// slow: a block sorts 1024 keys of eight bits by a bitonic network.
// fast: a block counts the keys, and writes each where the counts say.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned keys[1024];
  const int first = blockIdx.x * 1024;
  keys[threadIdx.x] = in[first + threadIdx.x] & 255;
  keys[threadIdx.x + 512] = in[first + threadIdx.x + 512] & 255;
  __syncthreads();
  for (int size = 2; size <= 1024; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      const int low = 2 * threadIdx.x - (threadIdx.x & (step - 1));
      const unsigned a = keys[low];
      const unsigned b = keys[low + step];
      if ((a > b) == ((low & size) == 0)) {
        keys[low] = b;
        keys[low + step] = a;
      }
      __syncthreads();
    }
  }
  out[first + threadIdx.x] = keys[threadIdx.x];
  out[first + threadIdx.x + 512] = keys[threadIdx.x + 512];
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned counts[256];
  __shared__ unsigned sorted[1024];
  const int first = blockIdx.x * 1024;
  if (threadIdx.x < 256) counts[threadIdx.x] = 0;
  __syncthreads();
  const unsigned a = in[first + threadIdx.x] & 255;
  const unsigned b = in[first + threadIdx.x + 512] & 255;
  const unsigned before_a = atomicAdd(&counts[a], 1);
  const unsigned before_b = atomicAdd(&counts[b], 1);
  __syncthreads();
  const unsigned own = threadIdx.x < 256 ? counts[threadIdx.x] : 0;
  unsigned sum = own;
  for (int step = 1; step < 256; step *= 2) {
    unsigned other = 0;
    if (threadIdx.x < 256 && threadIdx.x >= step) other = counts[threadIdx.x - step];
    __syncthreads();
    sum += other;
    if (threadIdx.x < 256) counts[threadIdx.x] = sum;
    __syncthreads();
  }
  if (threadIdx.x < 256) counts[threadIdx.x] = sum - own;
  __syncthreads();
  sorted[counts[a] + before_a] = a;
  sorted[counts[b] + before_b] = b;
  __syncthreads();
  out[first + threadIdx.x] = sorted[threadIdx.x];
  out[first + threadIdx.x + 512] = sorted[threadIdx.x + 512];
}
