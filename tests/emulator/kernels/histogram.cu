// Counts bytes by value: in global memory, and first in shared memory for each block.
extern "C" __global__ void histogram_global(const unsigned char* from, unsigned* counts,
                                            int count) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += stride) {
    atomicAdd(&counts[from[i]], 1u);
  }
}

extern "C" __global__ void histogram_shared(const unsigned char* from, unsigned* counts,
                                            int count) {
  __shared__ unsigned local[256];
  for (unsigned value = threadIdx.x; value < 256; value += blockDim.x) local[value] = 0;
  __syncthreads();
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += stride) {
    atomicAdd(&local[from[i]], 1u);
  }
  __syncthreads();
  for (unsigned value = threadIdx.x; value < 256; value += blockDim.x) {
    if (local[value] != 0) atomicAdd(&counts[value], local[value]);
  }
}
