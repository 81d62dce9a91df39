// Each thread block transposes a tile of 32 by 32 elements; each thread moves four of them.
constexpr int TILE = 32;
constexpr int ROWS = 8;

__global__ void transpose(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * TILE + threadIdx.x;
  for (int j = 0; j < TILE; j += ROWS) {
    const int y = blockIdx.y * TILE + threadIdx.y + j;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
  }
}
