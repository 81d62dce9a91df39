// slow: __launch_bounds__(1024, 2) leaves 32 registers for 80 values, which spill.
// fast: __launch_bounds__(256) leaves enough.

template <int values>
__device__ void mix(float* out, const float* in, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x[values];
#pragma unroll
  for (int k = 0; k < values; ++k) x[k] = in[i] + static_cast<float>(k);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < values; ++k) x[k] = 0.5F * x[k] + x[(k + 7) % values];
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < values; ++k) sum += x[k];
  out[i] = sum;
}
extern "C" __global__ void __launch_bounds__(1024, 2)
    slow(float* out, const float* in, int rounds) {
  mix<80>(out, in, rounds);
}
extern "C" __global__ void __launch_bounds__(256) fast(float* out, const float* in, int rounds) {
  mix<80>(out, in, rounds);
}
