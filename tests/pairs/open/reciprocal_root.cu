// slow: a length is inverted by a root and a division, both rounded as IEEE 754 asks.
// fast: a length is inverted by rsqrtf.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 1.0F + in[i];
  for (int k = 0; k < 16; ++k) x = 1.0F + 1.0F / sqrtf(x * x + 1.0F);
  out[i] = x;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 1.0F + in[i];
  for (int k = 0; k < 16; ++k) x = 1.0F + rsqrtf(x * x + 1.0F);
  out[i] = x;
}
