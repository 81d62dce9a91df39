__global__ void threshold(unsigned char* out, const unsigned char* in, int width, int height,
                          int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  int sum = 0;
  for (int k = 0; k < 15 * 15; ++k) {
    int x = i % width + k % 15 - 7;
    int y = i / width + k / 15 - 7;
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    sum += in[y * width + x];
  }
  out[i] = in[i] * 225 > sum - 225 * offset ? 255 : 0;
}
