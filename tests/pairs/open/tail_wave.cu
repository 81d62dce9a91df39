// slow: 265 blocks of 1024 threads are one more than run at once, so that the last one runs alone.
// fast: the same threads in blocks of 256 leave only a small block for the end.

__device__ void iterate(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
#pragma unroll 16
  for (int k = 0; k < 4096; ++k) x = x * x - 0.25F;
  out[i] = x;
}
extern "C" __global__ void slow(float* out, const float* in, int n) { iterate(out, in, n); }
extern "C" __global__ void fast(float* out, const float* in, int n) { iterate(out, in, n); }
