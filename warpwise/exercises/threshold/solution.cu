// A pixel becomes 255 if it exceeds the mean of the 15 by 15 pixels around it minus an offset, and
// 0 otherwise. Beyond the border the nearest pixel of the image counts. A thread block computes 128
// columns of 32 pixels; each thread computes one column from top to bottom.
constexpr int RADIUS = 7;
constexpr int AREA = (2 * RADIUS + 1) * (2 * RADIUS + 1);

__device__ int row_sum(const unsigned char* in, int x, int y, int width, int height) {
  int sum = 0;
  for (int i = -RADIUS; i <= RADIUS; ++i) {
    sum += in[min(max(y, 0), height - 1) * width + min(max(x + i, 0), width - 1)];
  }
  return sum;
}

__global__ void threshold(unsigned char* out, const unsigned char* in, int width, int height,
                          int offset) {
  const int x = blockIdx.x * 128 + threadIdx.x;
  if (x >= width) return;
  const int top = blockIdx.y * 32;
  int sum = 0;
  for (int j = -RADIUS; j <= RADIUS; ++j) sum += row_sum(in, x, top + j, width, height);
  for (int y = top; y < min(top + 32, height); ++y) {
    out[y * width + x] = (in[y * width + x] + offset) * AREA > sum ? 255 : 0;
    sum += row_sum(in, x, y + RADIUS + 1, width, height);
    sum -= row_sum(in, x, y - RADIUS, width, height);
  }
}
