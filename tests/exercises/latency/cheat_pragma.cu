// fails: block_cycles
// The compiler unrolls the loop, but keeps each load behind the store that precedes it.
__global__ void column_sums(int* out, const int* in, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x;
  if (x >= width) return;
  int sum = 0;
#pragma unroll 16
  for (int y = 0; y < height; ++y) {
    sum += in[y * width + x];
    out[y * width + x] = sum;
  }
}
