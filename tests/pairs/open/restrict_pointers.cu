// slow: a store may change what the pointers lead to, so that each step loads everything again.
// fast: __restrict__ says that it does not.

extern "C" __global__ void slow(float* out, const float* in, const float* factors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) out[k * step + i] = factors[k] * in[i] + factors[3 - k];
}
extern "C" __global__ void fast(float* __restrict__ out, const float* __restrict__ in,
                                const float* __restrict__ factors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) out[k * step + i] = factors[k] * in[i] + factors[3 - k];
}
