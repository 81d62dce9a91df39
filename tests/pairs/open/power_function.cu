// slow: a cube is made by powf.
// fast: a cube is made by two products.

extern "C" __global__ void slow(float* out, const float* in, float exponent) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int k = 0; k < 4; ++k) x = 1.0F - 0.5F * powf(x, exponent);
  out[i] = x;
}
extern "C" __global__ void fast(float* out, const float* in, float /*exponent*/) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int k = 0; k < 4; ++k) x = 1.0F - 0.5F * (x * x * x);
  out[i] = x;
}
