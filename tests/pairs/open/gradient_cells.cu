// slow: pixels add their gradients to the histograms of cells in global memory.
// fast: a block adds up the histograms of its four cells in shared memory.

struct Gradient {
  float length;
  int bin;
};
__device__ Gradient gradient(const float* in, int x, int y, int n) {
  const float dx = in[y * n + min(x + 1, n - 1)] - in[y * n + max(x - 1, 0)];
  const float dy = in[min(y + 1, n - 1) * n + x] - in[max(y - 1, 0) * n + x];
  const int bin = (dx > 0 ? 1 : 0) + (dy > 0 ? 2 : 0) + (fabsf(dx) > fabsf(dy) ? 4 : 0);
  return {sqrtf(dx * dx + dy * dy), bin};
}
extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const Gradient own = gradient(in, x, y, n);
  atomicAdd(&out[(y / 8 * (n / 8) + x / 8) * 8 + own.bin], own.length);
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  __shared__ float bins[32];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (threadIdx.y == 0) bins[threadIdx.x] = 0;
  __syncthreads();
  const Gradient own = gradient(in, x, y, n);
  atomicAdd(&bins[threadIdx.x / 8 * 8 + own.bin], own.length);
  __syncthreads();
  if (threadIdx.y == 0) {
    out[(blockIdx.y * (n / 8) + blockIdx.x * 4) * 8 + threadIdx.x] = bins[threadIdx.x];
  }
}
