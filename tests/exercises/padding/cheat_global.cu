// fails: sectors_per_element
// The tile lies in global memory, which has no banks.
__device__ float tiles[18][32][32];
__global__ void transpose(float* out, const float* in, int width, int height) {
  float(*const tile)[32] = tiles[blockIdx.y * gridDim.x + blockIdx.x];
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) {
    const int y = blockIdx.y * 32 + j;
    if (x < width && y < height) tile[j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  const int out_x = blockIdx.y * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) {
    const int out_y = blockIdx.x * 32 + j;
    if (out_x < height && out_y < width) out[out_y * height + out_x] = tile[threadIdx.x][j];
  }
}
