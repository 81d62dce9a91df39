__global__ void column_sums(int* out, const int* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  int sum = 0;
  for (int y = 0; y < height; ++y) {
    sum += in[y * width + x];
    out[y * width + x] = sum;
  }
}
