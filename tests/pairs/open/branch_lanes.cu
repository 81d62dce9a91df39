// slow: even and odd lanes of a warp go different ways.
// fast: even and odd warps go different ways.

__device__ float work(float x, bool first) {
  if (first) {
#pragma unroll 8
    for (int k = 0; k < 128; ++k) x = 0.5F * x + 0.25F;
  } else {
#pragma unroll 8
    for (int k = 0; k < 128; ++k) x = 0.25F * x + 0.5F;
  }
  return x;
}
extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = work(in[i], threadIdx.x % 2 == 0);
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = work(in[i], threadIdx.x / 32 % 2 == 0);
}
