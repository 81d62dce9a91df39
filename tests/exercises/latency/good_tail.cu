// Loads sixteen rows at a time. Rows beyond the last one are taken as zeros.
__global__ void column_sums(int* out, const int* in, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x;
  if (x >= width) return;
  int sum = 0;
#pragma unroll 1
  for (int top = 0; top < height; top += 16) {
    int rows[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) rows[k] = top + k < height ? in[(top + k) * width + x] : 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      sum += rows[k];
      if (top + k < height) out[(top + k) * width + x] = sum;
    }
  }
}
