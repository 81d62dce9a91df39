// Computes |gradient in x| + |gradient in y| of each pixel, limited to 255. Beyond the border the
// nearest pixel of the image counts.
__device__ int pixel(const unsigned char* in, int x, int y, int width, int height) {
  return in[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

__global__ void sobel(unsigned char* out, const unsigned char* in, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  int near[3][3];
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) near[j][i] = pixel(in, x + i - 1, y + j - 1, width, height);
  }
  const int dx =
      near[0][2] + 2 * near[1][2] + near[2][2] - near[0][0] - 2 * near[1][0] - near[2][0];
  const int dy =
      near[2][0] + 2 * near[2][1] + near[2][2] - near[0][0] - 2 * near[0][1] - near[0][2];
  out[y * width + x] = min(abs(dx) + abs(dy), 255);
}
