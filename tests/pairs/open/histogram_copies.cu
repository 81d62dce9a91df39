// slow: a block counts two values in one shared histogram, where all lanes meet.
// fast: each lane has two counters of its own, which are added at the end.

extern "C" __global__ void slow(unsigned* out, const unsigned char* in, int n) {
  __shared__ unsigned counts[2];
  if (threadIdx.x < 2) counts[threadIdx.x] = 0;
  __syncthreads();
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    atomicAdd(&counts[in[i] & 1], 1);
  }
  __syncthreads();
  if (threadIdx.x < 2) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
extern "C" __global__ void fast(unsigned* out, const unsigned char* in, int n) {
  __shared__ unsigned counts[2][32];
  if (threadIdx.x < 64) counts[threadIdx.x / 32][threadIdx.x % 32] = 0;
  __syncthreads();
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    atomicAdd(&counts[in[i] & 1][threadIdx.x % 32], 1);
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    atomicAdd(&out[threadIdx.x / 32], counts[threadIdx.x / 32][threadIdx.x % 32]);
  }
}
