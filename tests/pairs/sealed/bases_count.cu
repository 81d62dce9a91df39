// slow: each of the sixteen bases in a word is counted by an atomic addition in shared memory.
// fast: masks and counts of bits count the bases of a word in registers.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned counts[4];
  if (threadIdx.x < 4) counts[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < 32; ++k) {
    const unsigned word = in[(k * gridDim.x + blockIdx.x) * 256 + threadIdx.x];
    for (int shift = 0; shift < 32; shift += 2) atomicAdd(&counts[word >> shift & 3], 1);
  }
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned counts[4];
  if (threadIdx.x < 4) counts[threadIdx.x] = 0;
  __syncthreads();
  unsigned one = 0;
  unsigned two = 0;
  unsigned three = 0;
#pragma unroll 1
  for (int k = 0; k < 32; ++k) {
    const unsigned word = in[(k * gridDim.x + blockIdx.x) * 256 + threadIdx.x];
    const unsigned low = word & 0x55555555;
    const unsigned high = word >> 1 & 0x55555555;
    one += __popc(low & ~high);
    two += __popc(high & ~low);
    three += __popc(low & high);
  }
  atomicAdd(&counts[0], 512 - one - two - three);
  atomicAdd(&counts[1], one);
  atomicAdd(&counts[2], two);
  atomicAdd(&counts[3], three);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
