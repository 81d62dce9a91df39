// The loops are unrolled, so that the weights become literals in the instructions.
__global__ void filter(int* out, const unsigned char* in, int width, int height) {
  const int x = blockIdx.x * 64 + threadIdx.x;
  const int y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= height) return;
  constexpr int weights[5] = {1, 4, 6, 4, 1};
  int sum = 0;
#pragma unroll
  for (int j = 0; j < 5; ++j) {
#pragma unroll
    for (int i = 0; i < 5; ++i) sum += weights[j] * weights[i] * in[(y + j) * (width + 4) + x + i];
  }
  out[y * width + x] = sum;
}
