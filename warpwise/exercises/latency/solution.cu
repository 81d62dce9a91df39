__global__ void column_sums(int* out, const int* in, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x;
  if (x >= width) return;
  constexpr int LOADS = 8;
  int sum = 0;
  int y = 0;
  for (; y + LOADS <= height; y += LOADS) {
    int loaded[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) loaded[k] = in[(y + k) * width + x];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
      sum += loaded[k];
      out[(y + k) * width + x] = sum;
    }
  }
  for (; y < height; ++y) {
    sum += in[y * width + x];
    out[y * width + x] = sum;
  }
}
