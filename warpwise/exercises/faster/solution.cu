// Computes the mean of the 9 by 9 pixels around each pixel, rounded down. Beyond the border the
// nearest pixel of the image counts.
constexpr int WIDTH = 32 + 8;
constexpr int HEIGHT = 8 + 8;

__global__ void box(unsigned char* out, const unsigned char* in, int width, int height) {
  __shared__ unsigned char tile[HEIGHT][WIDTH];
  __shared__ short columns[8][WIDTH];  // sums of nine pixels of a column
  const int thread = threadIdx.y * 32 + threadIdx.x;
  const int left = blockIdx.x * 32 - 4;
  const int top = blockIdx.y * 8 - 4;
  for (int i = thread; i < WIDTH * HEIGHT; i += 256) {
    const int x = min(max(left + i % WIDTH, 0), width - 1);
    const int y = min(max(top + i / WIDTH, 0), height - 1);
    tile[i / WIDTH][i % WIDTH] = in[y * width + x];
  }
  __syncthreads();
  for (int i = thread; i < WIDTH * 8; i += 256) {
    int sum = 0;
    for (int j = 0; j < 9; ++j) sum += tile[i / WIDTH + j][i % WIDTH];
    columns[i / WIDTH][i % WIDTH] = sum;
  }
  __syncthreads();
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int i = 0; i < 9; ++i) sum += columns[threadIdx.y][threadIdx.x + i];
  out[y * width + x] = sum / 81;
}
