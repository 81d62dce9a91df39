// Each thread block transposes a tile of 32 by 32 elements; each thread moves four of them.
constexpr int TILE = 32;
constexpr int ROWS = 8;

__global__ void transpose(float* out, const float* in, int width, int height) {
  // One extra column in each row makes the elements of a column lie in 32 different banks.
  __shared__ float tile[TILE][TILE + 1];
  const int x = blockIdx.x * TILE + threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += ROWS) {
    const int y = blockIdx.y * TILE + j;
    if (x < width && y < height) tile[j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  const int out_x = blockIdx.y * TILE + threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += ROWS) {
    const int out_y = blockIdx.x * TILE + j;
    if (out_x < height && out_y < width) out[out_y * height + out_x] = tile[threadIdx.x][j];
  }
}
