// slow: constants without an f make a loop of floats compute in double.
// fast: the constants are floats.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int k = 0; k < 16; ++k) x = 0.6 * x + 0.3;
  out[i] = x;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int k = 0; k < 16; ++k) x = 0.6F * x + 0.3F;
  out[i] = x;
}
