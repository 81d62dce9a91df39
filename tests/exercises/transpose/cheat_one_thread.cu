// fails: sectors_per_element
// One thread of each block moves the block's whole tile.
__global__ void transpose(float* out, const float* in, int width, int height) {
  if (threadIdx.x > 0 || threadIdx.y > 0) return;
  for (int j = 0; j < 32; ++j) {
    for (int i = 0; i < 32; ++i) {
      const int x = blockIdx.x * 32 + i;
      const int y = blockIdx.y * 32 + j;
      if (x < width && y < height) out[x * height + y] = in[y * width + x];
    }
  }
}
