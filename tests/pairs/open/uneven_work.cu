// slow: the lanes of a warp take 1 to 256 steps, and each warp waits for its longest.
// fast: neighbouring threads take almost as many steps.

__device__ void work(float* out, const float* in, int i, int steps) {
  float x = in[i];
#pragma unroll 1
  for (int k = 0; k < steps; ++k) x = 0.5F * x + 0.25F;
  out[i] = x;
}
extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  work(out, in, i, 1 + (i * 73 & 255));
}
extern "C" __global__ void fast(float* out, const float* in) {
  // 249 times 73 is 1 modulo 256: thread t takes the element of its block that needs t + 1 steps.
  const int i = blockIdx.x * 256 + (threadIdx.x * 249 & 255);
  work(out, in, i, 1 + (i * 73 & 255));
}
