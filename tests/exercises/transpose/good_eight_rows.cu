// Each block makes four passes of eight rows, and stores 8 numbers of each column at once.
__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[32][9];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  const int left = blockIdx.x * 32;
  for (int top = blockIdx.y * 32; top < blockIdx.y * 32 + 32; top += 8) {
    const int y = top + threadIdx.y;
    const int x = left + threadIdx.x;
    __syncthreads();
    if (x < width && y < height) tile[threadIdx.x][threadIdx.y] = in[y * width + x];
    __syncthreads();
    const int row = left + thread / 8;
    const int column = top + thread % 8;
    if (row < width && column < height) out[row * height + column] = tile[thread / 8][thread % 8];
  }
}
