// slow: 40 launches, each of which makes one round of an exchange sort in segments of 512 keys.
// fast: one launch makes the 40 rounds in shared memory.

__device__ void order(unsigned& a, unsigned& b) {
  const unsigned low = min(a, b);
  b = max(a, b);
  a = low;
}
__device__ void sort(unsigned* keys, int rounds) {
  __shared__ unsigned segment[512];
  const int t = threadIdx.x;
  unsigned* global = &keys[blockIdx.x * 512];
  segment[t] = global[t];
  segment[t + 256] = global[t + 256];
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    order(segment[2 * t], segment[2 * t + 1]);
    __syncthreads();
    if (t < 255) order(segment[2 * t + 1], segment[2 * t + 2]);
    __syncthreads();
  }
  global[t] = segment[t];
  global[t + 256] = segment[t + 256];
}
extern "C" __global__ void slow(unsigned* keys, int rounds) { sort(keys, rounds); }
extern "C" __global__ void fast(unsigned* keys, int rounds) { sort(keys, rounds); }
