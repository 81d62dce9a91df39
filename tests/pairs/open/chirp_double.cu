// slow: eight harmonics of a tone are made by the sine of double precision.
// fast: the sine is that of single precision.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float phase = 6.0F * in[i];
  float sum = 0;
#pragma unroll 1
  for (int k = 1; k <= 8; ++k) {
    sum = 0.7F * sum + static_cast<float>(sin(static_cast<double>(phase) * k));
  }
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float phase = 6.0F * in[i];
  float sum = 0;
#pragma unroll 1
  for (int k = 1; k <= 8; ++k) sum = 0.7F * sum + sinf(phase * static_cast<float>(k));
  out[i] = sum;
}
