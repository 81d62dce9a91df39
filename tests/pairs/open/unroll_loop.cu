// slow: a loop of 64 short steps is not unrolled.
// fast: the loop is unrolled.

template <bool unrolled>
__device__ void evaluate(float* out, const float* in, const float* coefficients) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float sum = 0;
  if (unrolled) {
#pragma unroll
    for (int k = 0; k < 64; ++k) sum = sum * x + coefficients[k];
  } else {
#pragma unroll 1
    for (int k = 0; k < 64; ++k) sum = sum * x + coefficients[k];
  }
  out[i] = sum;
}
extern "C" __global__ void slow(float* out, const float* in, const float* coefficients) {
  evaluate<false>(out, in, coefficients);
}
extern "C" __global__ void fast(float* out, const float* in, const float* coefficients) {
  evaluate<true>(out, in, coefficients);
}
