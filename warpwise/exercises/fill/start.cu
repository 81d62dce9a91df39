// Computes means of 3 by 3 pixels. Beyond the border the nearest pixel of the image counts.
constexpr int WIDTH = 32 + 2;
constexpr int HEIGHT = 8 + 2;

__device__ int pixel(const unsigned char* in, int x, int y, int width, int height) {
  return in[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

__global__ void smooth(unsigned char* out, const unsigned char* in, int width, int height) {
  __shared__ unsigned char tile[WIDTH * HEIGHT];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x = blockIdx.x * 32 + tx;
  const int y = blockIdx.y * 8 + ty;
  tile[(ty + 1) * WIDTH + tx + 1] = pixel(in, x, y, width, height);
  // The threads at the block's border also copy the tile's four edges and four corners.
  if (tx == 0) tile[(ty + 1) * WIDTH] = pixel(in, x - 1, y, width, height);
  if (tx == 31) tile[(ty + 1) * WIDTH + 33] = pixel(in, x + 1, y, width, height);
  if (ty == 0) tile[tx + 1] = pixel(in, x, y - 1, width, height);
  if (ty == 7) tile[9 * WIDTH + tx + 1] = pixel(in, x, y + 1, width, height);
  if (tx == 0 && ty == 0) tile[0] = pixel(in, x - 1, y - 1, width, height);
  if (tx == 31 && ty == 0) tile[33] = pixel(in, x + 1, y - 1, width, height);
  if (tx == 0 && ty == 7) tile[9 * WIDTH] = pixel(in, x - 1, y + 1, width, height);
  if (tx == 31 && ty == 7) tile[9 * WIDTH + 33] = pixel(in, x + 1, y + 1, width, height);
  __syncthreads();
  int sum = 0;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) sum += tile[(ty + j) * WIDTH + tx + i];
  }
  if (x < width && y < height) out[y * width + x] = sum / 9;
}
