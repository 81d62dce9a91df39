// slow: a thread iterates on one number, and each step waits for the one before.
// fast: a thread iterates on four numbers side by side.

__device__ float improve(float y, float half) {
  return __fmul_rn(y, fmaf(__fmul_rn(-half, y), y, 1.5F));
}

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float half = fmaf(0.25F, in[i], 0.625F);
  float y = 0.7F;
  for (int k = 0; k < 64; ++k) y = improve(y, half);
  out[i] = y;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int threads = gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float half[4];
  float y[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    half[j] = fmaf(0.25F, in[j * threads + i], 0.625F);
    y[j] = 0.7F;
  }
  for (int k = 0; k < 64; ++k) {
#pragma unroll
    for (int j = 0; j < 4; ++j) y[j] = improve(y[j], half[j]);
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) out[j * threads + i] = y[j];
}
