// The next eight rows are loaded before the last eight are stored.
__global__ void column_sums(int* out, const int* in, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x;
  if (x >= width) return;
  int sum = 0;
  int ahead[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) ahead[k] = k < height ? in[k * width + x] : 0;
#pragma unroll 1
  for (int y = 0; y < height; y += 8) {
    int now[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) now[k] = ahead[k];
#pragma unroll
    for (int k = 0; k < 8; ++k) ahead[k] = y + 8 + k < height ? in[(y + 8 + k) * width + x] : 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      sum += now[k];
      if (y + k < height) out[(y + k) * width + x] = sum;
    }
  }
}
