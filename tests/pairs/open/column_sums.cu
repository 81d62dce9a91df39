// slow: a warp adds up a column, so that its lanes read a row apart.
// fast: a block adds up 32 neighbouring columns, so that its warps read along the rows.

extern "C" __global__ void slow(float* out, const float* in, int width, int height) {
  const int column = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
  for (int y = threadIdx.x % 32; y < height; y += 32) sum += in[y * width + column];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  if (threadIdx.x % 32 == 0) out[column] = sum;
}
extern "C" __global__ void fast(float* out, const float* in, int width, int height) {
  __shared__ float sums[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int y = threadIdx.y; y < height; y += 32) sum += in[y * width + column];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = sums[threadIdx.x][threadIdx.y];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  if (threadIdx.x == 0) out[blockIdx.x * 32 + threadIdx.y] = sum;
}
