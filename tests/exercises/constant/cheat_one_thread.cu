// fails: instructions_per_element
__constant__ int weights[25] = {1,  4, 6, 4,  1,  4,  16, 24, 16, 4, 6, 24, 36,
                                24, 6, 4, 16, 24, 16, 4,  1,  4,  6, 4, 1};

__global__ void filter(int* out, const unsigned char* in, int width, int height) {
  if (threadIdx.x > 0 || threadIdx.y > 0) return;
#pragma unroll 1
  for (int k = 0; k < 64 * 4; ++k) {
    const int x = blockIdx.x * 64 + k % 64;
    const int y = blockIdx.y * 4 + k / 64;
    if (x >= width || y >= height) continue;
    int sum = 0;
#pragma unroll 1
    for (int j = 0; j < 5; ++j) {
#pragma unroll 1
      for (int i = 0; i < 5; ++i) sum += weights[5 * j + i] * in[(y + j) * (width + 4) + x + i];
    }
    out[y * width + x] = sum;
  }
}
