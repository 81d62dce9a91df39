// fails: sectors_per_element
// The lanes store one after another. Each store takes one sector, so a warp still takes 32.
__global__ void transpose(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int j = 0; j < 32; j += 8) {
    const int y = blockIdx.y * 32 + threadIdx.y + j;
#pragma unroll 1
    for (int k = 0; k < 32; ++k)
      if (threadIdx.x == k && x < width && y < height) out[x * height + y] = in[y * width + x];
  }
}
