// c = a * b for square matrices. A 16 x 16 tile of a and one of b are in shared memory at a time.
constexpr int side = 16;

extern "C" __global__ void matrix_multiply(const float* a, const float* b, float* c, int size) {
  __shared__ float tile_a[side][side];
  __shared__ float tile_b[side][side];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * side + tx;
  const int y = static_cast<int>(blockIdx.y) * side + ty;
  float sum = 0;
  for (int begin = 0; begin < size; begin += side) {
    tile_a[ty][tx] = y < size && begin + tx < size ? a[y * size + begin + tx] : 0;
    tile_b[ty][tx] = x < size && begin + ty < size ? b[(begin + ty) * size + x] : 0;
    __syncthreads();
    for (int i = 0; i < side; ++i) sum += tile_a[ty][i] * tile_b[i][tx];
    __syncthreads();
  }
  if (x < size && y < size) c[y * size + x] = sum;
}

extern "C" __global__ void matrix_multiply_double(const double* a, const double* b, double* c,
                                                  int size) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= size || y >= size) return;
  double sum = 0;
  for (int i = 0; i < size; ++i) sum += a[y * size + i] * b[i * size + x];
  c[y * size + x] = sum;
}
