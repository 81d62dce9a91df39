// slow: a warp stores down a column, so that each lane writes another line.
// fast: a tile in shared memory lets a warp load and store along rows.

extern "C" __global__ void slow(float* out, const float* in, int width) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  out[x * width + y] = in[y * width + x];
}
extern "C" __global__ void fast(float* out, const float* in, int width) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32;
  const int y = blockIdx.y * 32;
  tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * width + x + threadIdx.x];
  __syncthreads();
  out[(x + threadIdx.y) * width + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
