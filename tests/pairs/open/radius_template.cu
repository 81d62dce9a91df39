// slow: the radius of a window is an argument, so that its loops stay loops.
// fast: the radius is known to the compiler, which writes out all 49 steps.

__device__ void window(float* out, const float* in, int n, int radius) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 4 + threadIdx.y;
  if (x < radius || y < radius || x >= n - radius || y >= n - radius) return;
  float sum = 0;
#pragma unroll
  for (int dy = -radius; dy <= radius; ++dy) {
#pragma unroll
    for (int dx = -radius; dx <= radius; ++dx) sum += in[(y + dy) * n + x + dx];
  }
  out[y * n + x] = sum;
}
extern "C" __global__ void slow(float* out, const float* in, int n, int radius) {
  window(out, in, n, radius);
}
extern "C" __global__ void fast(float* out, const float* in, int n, int) { window(out, in, n, 3); }
