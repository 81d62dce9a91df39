// slow: each of the sixteen terms of a sum is an exponential.
// fast: each term is the previous term times the first.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float sum = 0;
#pragma unroll
  for (int k = 1; k <= 16; ++k) sum += expf(-static_cast<float>(k) * x);
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float first = expf(-in[i]);
  float term = 1;
  float sum = 0;
#pragma unroll
  for (int k = 1; k <= 16; ++k) {
    term *= first;
    sum += term;
  }
  out[i] = sum;
}
