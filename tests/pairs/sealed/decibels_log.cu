// slow: a level in decibels is made by the exact decimal logarithm.
// fast: it is made by the fast binary logarithm.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 20 * log10f(in[i] + 1e-3F);
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 6.0205999F * __log2f(in[i] + 1e-3F);
}
