// slow: a series is summed in double precision.
// fast: the series is summed in single precision, and a second number keeps what rounding loses.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = 0.5 + 0.49 * in[i];
  double term = 1;
  double sum = 0;
#pragma unroll 8
  for (int k = 0; k < 256; ++k) {
    sum += term;
    term *= x;
  }
  out[i] = static_cast<float>(sum);
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.5F + 0.49F * in[i];
  float term = 1;
  float sum = 0;
  float lost = 0;
#pragma unroll 8
  for (int k = 0; k < 256; ++k) {
    const float added = __fsub_rn(term, lost);
    const float next = __fadd_rn(sum, added);
    lost = __fsub_rn(__fsub_rn(next, sum), added);
    sum = next;
    term *= x;
  }
  out[i] = sum;
}
