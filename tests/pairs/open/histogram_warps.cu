// slow: the warps of a block count bytes in one histogram in shared memory.
// fast: each warp has a histogram of its own.

__device__ void count(unsigned* counts, unsigned word) {
  for (int shift = 0; shift < 32; shift += 8) atomicAdd(&counts[word >> shift & 255], 1);
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in, int words) {
  __shared__ unsigned counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step) count(counts, in[i]);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int words) {
  __shared__ unsigned counts[8][256];
  for (auto& each : counts) each[threadIdx.x] = 0;
  __syncthreads();
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step) {
    count(counts[threadIdx.x / 32], in[i]);
  }
  __syncthreads();
  unsigned sum = 0;
  for (auto& each : counts) sum += each[threadIdx.x];
  atomicAdd(&out[threadIdx.x], sum);
}
