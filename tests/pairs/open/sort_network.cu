// slow: a block sorts 1024 numbers in shared memory by 1024 steps of odd and even neighbours.
// fast: a block sorts them by the 55 steps of a bitonic network.

__device__ void order(unsigned& low, unsigned& high) {
  const unsigned a = low;
  const unsigned b = high;
  low = min(a, b);
  high = max(a, b);
}
__device__ void load(unsigned* to, const unsigned* in) {
  to[threadIdx.x] = in[blockIdx.x * 1024 + threadIdx.x];
  to[threadIdx.x + 512] = in[blockIdx.x * 1024 + threadIdx.x + 512];
  __syncthreads();
}
__device__ void store(unsigned* out, const unsigned* from) {
  out[blockIdx.x * 1024 + threadIdx.x] = from[threadIdx.x];
  out[blockIdx.x * 1024 + threadIdx.x + 512] = from[threadIdx.x + 512];
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned numbers[1024];
  load(numbers, in);
  for (int step = 0; step < 1024; ++step) {
    const int left = 2 * threadIdx.x + (step & 1);
    if (left < 1023) order(numbers[left], numbers[left + 1]);
    __syncthreads();
  }
  store(out, numbers);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned numbers[1024];
  load(numbers, in);
  for (int length = 2; length <= 1024; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      const int left = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
      const bool up = (left & length) == 0;
      order(numbers[up ? left : left + distance], numbers[up ? left + distance : left]);
      __syncthreads();
    }
  }
  store(out, numbers);
}
