// slow: a thread reads the nine pixels of its window from global memory.
// fast: a block reads its pixels and their margin into shared memory once.

extern "C" __global__ void slow(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  float least = in[y * width + x];
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      least = fminf(least,
                    in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)]);
    }
  }
  out[y * width + x] = least;
}
extern "C" __global__ void fast(float* out, const float* in, int width, int height) {
  __shared__ float tile[10][34];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
    const int row = min(max(static_cast<int>(blockIdx.y * 8) + i / 34 - 1, 0), height - 1);
    const int column = min(max(static_cast<int>(blockIdx.x * 32) + i % 34 - 1, 0), width - 1);
    tile[i / 34][i % 34] = in[row * width + column];
  }
  __syncthreads();
  float least = tile[threadIdx.y + 1][threadIdx.x + 1];
#pragma unroll
  for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
    for (int dx = 0; dx < 3; ++dx) least = fminf(least, tile[threadIdx.y + dy][threadIdx.x + dx]);
  }
  out[y * width + x] = least;
}
