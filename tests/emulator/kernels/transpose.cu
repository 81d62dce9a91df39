// Three transpositions of a width x height matrix of floats: a direct one, one through a tile in
// shared memory, and one through a tile whose rows are padded so that its columns lie in different
// banks. Blocks have 32 x 8 threads.
constexpr int side = 32;
constexpr int rows = 8;

extern "C" __global__ void transpose_naive(const float* from, float* to, int width, int height) {
  const int x = static_cast<int>(blockIdx.x) * side + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * side + static_cast<int>(threadIdx.y);
  for (int row = 0; row < side; row += rows) {
    if (x < width && y + row < height) to[x * height + y + row] = from[(y + row) * width + x];
  }
}

template <int padding>
__device__ void transpose_tile(const float* from, float* to, int width, int height) {
  __shared__ float tile[side][side + padding];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * side;
  const int top = static_cast<int>(blockIdx.y) * side;
  for (int row = ty; row < side; row += rows) {
    if (left + tx < width && top + row < height) {
      tile[row][tx] = from[(top + row) * width + left + tx];
    }
  }
  __syncthreads();
  for (int row = ty; row < side; row += rows) {
    if (left + row < width && top + tx < height) {
      to[(left + row) * height + top + tx] = tile[tx][row];
    }
  }
}

extern "C" __global__ void transpose_tiled(const float* from, float* to, int width, int height) {
  transpose_tile<0>(from, to, width, height);
}

extern "C" __global__ void transpose_padded(const float* from, float* to, int width, int height) {
  transpose_tile<1>(from, to, width, height);
}
