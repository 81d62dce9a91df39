// slow: 256 floats are added up in a double.
// fast: they are added up in a float, whose rounding errors a second float collects (Kahan).

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float term = in[i];
  double sum = 0;
  for (int k = 0; k < 256; ++k) {
    sum += term;
    term = 0.99F * term + 0.003F;
  }
  out[i] = static_cast<float>(sum);
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float term = in[i];
  float sum = 0;
  float error = 0;
  for (int k = 0; k < 256; ++k) {
    const float exact = term - error;
    const float rounded = sum + exact;
    error = (rounded - sum) - exact;
    sum = rounded;
    term = 0.99F * term + 0.003F;
  }
  out[i] = sum;
}
