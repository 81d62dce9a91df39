// slow: bytes are counted in global memory.
// fast: a block counts in shared memory and adds its counts at the end.

extern "C" __global__ void slow(unsigned* out, const unsigned char* in, int n) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) atomicAdd(&out[in[i]], 1);
}
extern "C" __global__ void fast(unsigned* out, const unsigned char* in, int n) {
  __shared__ unsigned counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    atomicAdd(&counts[in[i]], 1);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
