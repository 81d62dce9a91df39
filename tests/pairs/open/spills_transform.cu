// slow: __launch_bounds__(1024, 2) leaves 32 registers for a transform of 64 values.
// fast: __launch_bounds__(128) leaves enough.

// The transform of Walsh and Hadamard: sums and differences of pairs at distances 1, 2, 4, ... 32.
__device__ void transform(float* out, const float* in, int rounds) {
  const int threads = gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x[64];
#pragma unroll
  for (int k = 0; k < 64; ++k) x[k] = in[k * threads + i];
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int level = 0; level < 6; ++level) {
#pragma unroll
      for (int k = 0; k < 64; ++k) {
        if ((k >> level & 1) != 0) continue;
        const float a = x[k];
        const float b = x[k + (1 << level)];
        x[k] = a + b;
        x[k + (1 << level)] = a - b;
      }
    }
#pragma unroll
    for (int k = 0; k < 64; ++k) x[k] *= 0.125F;
  }
#pragma unroll
  for (int k = 0; k < 64; ++k) out[k * threads + i] = x[k];
}
extern "C" __global__ void __launch_bounds__(1024, 2)
    slow(float* out, const float* in, int rounds) {
  transform(out, in, rounds);
}
extern "C" __global__ void __launch_bounds__(128) fast(float* out, const float* in, int rounds) {
  transform(out, in, rounds);
}
