// The tile has no padding. Its bank conflicts are the subject of the next exercise.
__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int top = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    if (x < width && top + j < height) tile[j][threadIdx.x] = in[(top + j) * width + x];
  }
  __syncthreads();
  const int y = top + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    const int column = blockIdx.x * 32 + j;
    if (column < width && y < height) out[column * height + y] = tile[threadIdx.x][j];
  }
}
