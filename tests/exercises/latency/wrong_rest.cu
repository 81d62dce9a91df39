// fails: result
// Begins the sum of the rows left over at zero. Only a height with both a whole step and a rest
// shows this.
__global__ void column_sums(int* out, const int* in, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x;
  if (x >= width) return;
  int sum = 0;
  int y = 0;
  for (; y + 8 <= height; y += 8) {
    int rows[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) rows[k] = in[(y + k) * width + x];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      sum += rows[k];
      out[(y + k) * width + x] = sum;
    }
  }
  sum = 0;
  for (; y < height; ++y) {
    sum += in[y * width + x];
    out[y * width + x] = sum;
  }
}
