// slow: __launch_bounds__(512, 3) leaves 40 registers for two arrays of 24 values.
// fast: __launch_bounds__(128) leaves enough.

__device__ void rotate(float* out, const float* in, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x[24];
  float y[24];
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    x[k] = in[i] * static_cast<float>(k + 1);
    y[k] = in[i] - static_cast<float>(k);
  }
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 24; ++k) {
      const float turned = 0.8F * x[k] - 0.6F * y[(k + 5) % 24];
      y[k] = 0.6F * x[k] + 0.8F * y[k];
      x[k] = turned;
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 24; ++k) sum += x[k] * y[k];
  out[i] = sum;
}
extern "C" __global__ void __launch_bounds__(512, 3) slow(float* out, const float* in, int rounds) {
  rotate(out, in, rounds);
}
extern "C" __global__ void __launch_bounds__(128) fast(float* out, const float* in, int rounds) {
  rotate(out, in, rounds);
}
