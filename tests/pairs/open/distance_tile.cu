// slow: each thread reads the coordinates of both its points from global memory.
// fast: a block keeps 16 coordinates of 16 points of each set in shared memory at a time.

extern "C" __global__ void slow(float* out, const float* a, const float* b, int n) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 48; ++k) {
    const float difference = a[row * 48 + k] - b[column * 48 + k];
    sum = fmaf(difference, difference, sum);
  }
  out[row * n + column] = sum;
}
extern "C" __global__ void fast(float* out, const float* a, const float* b, int n) {
  __shared__ float tile_a[16][17];
  __shared__ float tile_b[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < 48; first += 16) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * 48 + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] =
        b[(blockIdx.x * 16 + threadIdx.y) * 48 + first + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float difference = tile_a[threadIdx.y][k] - tile_b[threadIdx.x][k];
      sum = fmaf(difference, difference, sum);
    }
    __syncthreads();
  }
  out[row * n + column] = sum;
}
