// fails: instructions_per_element
// The lanes read their words one after another, so that there are no bank conflicts.
__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) {
    const int y = blockIdx.y * 32 + j;
    if (x < width && y < height) tile[j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  const int out_x = blockIdx.y * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) {
    const int out_y = blockIdx.x * 32 + j;
    float value = 0;
#pragma unroll 1
    for (int k = 0; k < 32; ++k)
      if (threadIdx.x == k && out_x < height && out_y < width) value = tile[threadIdx.x][j];
    if (out_x < height && out_y < width) out[out_y * height + out_x] = value;
  }
}
