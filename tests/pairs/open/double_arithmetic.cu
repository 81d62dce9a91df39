// slow: a polynomial is evaluated in double.
// fast: the polynomial is evaluated in float, which is enough for its result.

template <typename Real>
__device__ void evaluate(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Real x = in[i];
  Real sum = 0;
#pragma unroll
  for (int k = 1; k <= 64; ++k) sum = sum * x + Real(1) / Real(k);
  out[i] = static_cast<float>(sum);
}
extern "C" __global__ void slow(float* out, const float* in) { evaluate<double>(out, in); }
extern "C" __global__ void fast(float* out, const float* in) { evaluate<float>(out, in); }
