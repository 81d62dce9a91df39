// slow: the joint histogram of two images (64 x 64 bins) is counted in global memory.
// fast: each block counts in shared memory, and adds its counts at the end.

extern "C" __global__ void slow(unsigned* bins, const unsigned char* a, const unsigned char* b) {
  for (int k = 0; k < 64; ++k) {
    const int i = (k * gridDim.x + blockIdx.x) * 512 + threadIdx.x;
    atomicAdd(&bins[(a[i] >> 2) * 64 + (b[i] >> 2)], 1);
  }
}
extern "C" __global__ void fast(unsigned* bins, const unsigned char* a, const unsigned char* b) {
  __shared__ unsigned counts[4096];
  for (int k = threadIdx.x; k < 4096; k += 512) counts[k] = 0;
  __syncthreads();
  for (int k = 0; k < 64; ++k) {
    const int i = (k * gridDim.x + blockIdx.x) * 512 + threadIdx.x;
    atomicAdd(&counts[(a[i] >> 2) * 64 + (b[i] >> 2)], 1);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 4096; k += 512) atomicAdd(&bins[k], counts[k]);
}
