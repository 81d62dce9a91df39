// slow: each of sixteen steps divides by the same number.
// fast: each of sixteen steps multiplies by its reciprocal.

extern "C" __global__ void slow(float* out, const float* in, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int k = 0; k < 16; ++k) x = (x + 1.0F) / scale;
  out[i] = x;
}
extern "C" __global__ void fast(float* out, const float* in, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float reciprocal = 1.0F / scale;
  float x = in[i];
  for (int k = 0; k < 16; ++k) x = (x + 1.0F) * reciprocal;
  out[i] = x;
}
