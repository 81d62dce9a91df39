__device__ int at(const unsigned char* in, int x, int y, int width, int height) {
  x = x < 0 ? 0 : x >= width ? width - 1 : x;
  y = y < 0 ? 0 : y >= height ? height - 1 : y;
  return in[y * width + x];
}

__global__ void sobel(unsigned char* out, const unsigned char* in, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int x = i % width;
  const int y = i / width;
  int dx = 0;
  int dy = 0;
  for (int j = -1; j <= 1; ++j) {
    const int weight = j == 0 ? 2 : 1;
    dx += weight * (at(in, x + 1, y + j, width, height) - at(in, x - 1, y + j, width, height));
    dy += weight * (at(in, x + j, y + 1, width, height) - at(in, x + j, y - 1, width, height));
  }
  const int sum = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
  out[i] = sum > 255 ? 255 : sum;
}
