// fails: runs
// Computes the mean of the 9 by 9 pixels around each pixel, rounded down. Beyond the border the
// nearest pixel of the image counts.
__global__ void box(unsigned char* out, const unsigned char* in, int width, int height) {
  if (threadIdx.x > 0 || threadIdx.y > 0) return;
#pragma unroll 1
  for (int k = 0; k < 32 * 8; ++k) {
    const int x = blockIdx.x * 32 + k % 32;
    const int y = blockIdx.y * 8 + k / 32;
    if (x >= width || y >= height) continue;
    int sum = 0;
    for (int j = -4; j <= 4; ++j) {
      for (int i = -4; i <= 4; ++i) {
        sum += in[min(max(y + j, 0), height - 1) * width + min(max(x + i, 0), width - 1)];
      }
    }
    out[y * width + x] = sum / 81;
  }
}
