// slow: sines and cosines are those of the library.
// fast: sines and cosines are those of the special function unit.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float sum = 0;
  for (int k = 1; k <= 8; ++k) sum += sinf(x * k) + cosf(x + k);
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float sum = 0;
  for (int k = 1; k <= 8; ++k) sum += __sinf(x * k) + __cosf(x + k);
  out[i] = sum;
}
