// slow: each product waits for the one before.
// fast: four chains of products go side by side.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float sum = 0;
#pragma unroll 16
  for (int k = 0; k < 8192; ++k) sum = sum * x + 0.5F;
  out[i] = 0.001F * sum * (1 - x) + 1;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  const float x4 = x * x * x * x;
  float sums[4] = {};
#pragma unroll 4
  for (int k = 0; k < 2048; ++k) {
#pragma unroll
    for (int j = 0; j < 4; ++j) sums[j] = sums[j] * x4 + 0.5F;
  }
  const float sum = sums[0] + x * (sums[1] + x * (sums[2] + x * sums[3]));
  out[i] = 0.001F * sum * (1 - x) + 1;
}
