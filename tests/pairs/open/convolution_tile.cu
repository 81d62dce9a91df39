// slow: a thread reads the 81 pixels of its window from global memory.
// fast: a block reads its pixels and their margin into shared memory once.

__device__ float weight(int dx, int dy) { return 1.0F / static_cast<float>(1 + dx * dx + dy * dy); }
extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int dy = -4; dy <= 4; ++dy) {
#pragma unroll
    for (int dx = -4; dx <= 4; ++dx) {
      const int row = min(max(y + dy, 0), n - 1);
      const int column = min(max(x + dx, 0), n - 1);
      sum += weight(dx, dy) * in[row * n + column];
    }
  }
  out[y * n + x] = sum;
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  __shared__ float tile[24][40];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 24 * 40; i += 512) {
    const int row = min(max(static_cast<int>(blockIdx.y * 16) + i / 40 - 4, 0), n - 1);
    const int column = min(max(static_cast<int>(blockIdx.x * 32) + i % 40 - 4, 0), n - 1);
    tile[i / 40][i % 40] = in[row * n + column];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int dy = -4; dy <= 4; ++dy) {
#pragma unroll
    for (int dx = -4; dx <= 4; ++dx) {
      sum += weight(dx, dy) * tile[threadIdx.y + 4 + dy][threadIdx.x + 4 + dx];
    }
  }
  out[y * n + x] = sum;
}
