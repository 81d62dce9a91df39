// slow: a block counts into one histogram of 2048 bins in shared memory.
// fast: a block has four copies of the histogram, and each warp counts into one of them.

template <int COPIES>
__device__ void count(unsigned* out, const unsigned* in) {
  __shared__ unsigned bins[COPIES][2048];
  for (int k = threadIdx.x; k < COPIES * 2048; k += 512) bins[k / 2048][k % 2048] = 0;
  __syncthreads();
  const int copy = threadIdx.x / 32 % COPIES;
  for (int k = 0; k < 32; ++k) {
    const unsigned word = in[(k * gridDim.x + blockIdx.x) * 512 + threadIdx.x];
    atomicAdd(&bins[copy][word >> 21], 1);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 2048; k += 512) {
    unsigned sum = 0;
    for (int c = 0; c < COPIES; ++c) sum += bins[c][k];
    atomicAdd(&out[k], sum);
  }
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in) { count<1>(out, in); }
extern "C" __global__ void fast(unsigned* out, const unsigned* in) { count<4>(out, in); }
