// slow: each key adds one to a counter of its digit in shared memory, by an atomic.
// fast: a thread counts its 64 keys in two registers, and a warp adds up its counts.

extern "C" __global__ void slow(unsigned* counts, const unsigned* keys, unsigned shift) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 64; ++k) {
    const unsigned digit = keys[(blockIdx.x * 64 + k) * 256 + threadIdx.x] >> shift & 15;
    atomicAdd(&bins[digit], 1U);
  }
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void fast(unsigned* counts, const unsigned* keys, unsigned shift) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  unsigned long long low = 0;
  unsigned long long high = 0;
  for (int k = 0; k < 64; ++k) {
    const unsigned digit = keys[(blockIdx.x * 64 + k) * 256 + threadIdx.x] >> shift & 15;
    const unsigned long long one = 1ULL << (digit & 7) * 8;
    if (digit < 8)
      low += one;
    else
      high += one;
  }
#pragma unroll
  for (int digit = 0; digit < 16; ++digit) {
    const unsigned mine = (digit < 8 ? low : high) >> (digit & 7) * 8 & 255;
    const unsigned sum = __reduce_add_sync(~0U, mine);
    if (threadIdx.x % 32 == 0) atomicAdd(&bins[digit], sum);
  }
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}
