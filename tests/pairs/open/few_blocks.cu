// slow: 32 blocks do the work of a GPU that has 132 multiprocessors.
// fast: eight blocks a multiprocessor do it.

__device__ void iterate(float* out, const float* in, int n) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    float x = in[i];
    for (int k = 0; k < 16; ++k) x = 0.5F * x * x + 0.25F;
    out[i] = x;
  }
}
extern "C" __global__ void slow(float* out, const float* in, int n) { iterate(out, in, n); }
extern "C" __global__ void fast(float* out, const float* in, int n) { iterate(out, in, n); }
