// slow: each sum of products of two rows of doubles is made from global memory.
// fast: tiles of both rows are staged in shared memory.

extern "C" __global__ void slow(double* out, const double* in, int rows, int width) {
  const int i = blockIdx.y * 16 + threadIdx.y;
  const int j = blockIdx.x * 16 + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < width; ++k) sum += in[i * width + k] * in[j * width + k];
  out[i * rows + j] = sum;
}
extern "C" __global__ void fast(double* out, const double* in, int rows, int width) {
  __shared__ double tile_i[16][17];
  __shared__ double tile_j[16][17];
  const int i = blockIdx.y * 16 + threadIdx.y;
  const int j = blockIdx.x * 16 + threadIdx.x;
  double sum = 0;
  for (int first = 0; first < width; first += 16) {
    tile_i[threadIdx.y][threadIdx.x] = in[i * width + first + threadIdx.x];
    tile_j[threadIdx.y][threadIdx.x] =
        in[(blockIdx.x * 16 + threadIdx.y) * width + first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile_i[threadIdx.y][k] * tile_j[threadIdx.x][k];
    __syncthreads();
  }
  out[i * rows + j] = sum;
}
