__global__ void match(int* sad, const unsigned char* reference, const unsigned char* search,
                      int blocks_x, int blocks_y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks_x * blocks_y * 256) return;
  const int left = i / 256 % blocks_x * 8;
  const int top = i / 256 / blocks_x * 8;
  int sum = 0;
  for (int k = 0; k < 64; ++k) {
    const int x = left + k % 8;
    const int y = top + k / 8;
    const int a = reference[y * 8 * blocks_x + x];
    const int b = search[(y + i % 256 / 16) * (8 * blocks_x + 15) + x + i % 16];
    sum += a < b ? b - a : a - b;
  }
  sad[i] = sum;
}
