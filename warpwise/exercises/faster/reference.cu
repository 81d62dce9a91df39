__global__ void box(unsigned char* out, const unsigned char* in, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  int sum = 0;
  for (int k = 0; k < 81; ++k) {
    int x = i % width + k % 9 - 4;
    int y = i / width + k / 9 - 4;
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    sum += in[y * width + x];
  }
  out[i] = sum / 81;
}
