// slow: each power of a polynomial is made anew from the first.
// fast: the scheme of Horner needs one product a coefficient.

extern "C" __global__ void slow(float* out, const float* in, const float* coefficients) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 32; ++k) {
    float power = 1;
    for (int j = 0; j < k; ++j) power *= x;
    sum += coefficients[k] * power;
  }
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float* in, const float* coefficients) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float sum = 0;
#pragma unroll 1
  for (int k = 31; k >= 0; --k) sum = sum * x + coefficients[k];
  out[i] = sum;
}
