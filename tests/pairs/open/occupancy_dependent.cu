// slow: eight warps a multiprocessor wait for roots that depend on each other.
// fast: 64 warps a multiprocessor share the same work.

__device__ void iterate(float* out, const float* in, int n) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    float x = 1 + in[i];
#pragma unroll 4
    for (int k = 0; k < 256; ++k) x = 1 + __frsqrt_rn(x);
    out[i] = x;
  }
}
extern "C" __global__ void slow(float* out, const float* in, int n) { iterate(out, in, n); }
extern "C" __global__ void fast(float* out, const float* in, int n) { iterate(out, in, n); }
