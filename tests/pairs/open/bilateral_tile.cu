// slow: a bilateral filter of 7 x 7 pixels loads them from global memory.
// fast: a block loads its pixels and a rim of three once, into shared memory.

constexpr int pitch = 2056;

__device__ void weigh(float& sum, float& weights, float value, float centre, int square) {
  const float away = value - centre;
  const float weight = __expf(-8.0F * away * away - 0.05F * static_cast<float>(square));
  sum += weight * value;
  weights += weight;
}
extern "C" __global__ void slow(float* out, const float* in) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const float centre = in[(y + 3) * pitch + x + 3];
  float sum = 0;
  float weights = 0;
#pragma unroll
  for (int dy = 0; dy < 7; ++dy) {
#pragma unroll
    for (int dx = 0; dx < 7; ++dx) {
      weigh(sum, weights, in[(y + dy) * pitch + x + dx], centre,
            (dx - 3) * (dx - 3) + (dy - 3) * (dy - 3));
    }
  }
  out[y * 2048 + x] = sum / weights;
}
extern "C" __global__ void fast(float* out, const float* in) {
  __shared__ float tile[14][38];
  const int x = blockIdx.x * 32;
  const int y = blockIdx.y * 8;
  for (int row = threadIdx.y; row < 14; row += 8) {
    for (int column = threadIdx.x; column < 38; column += 32) {
      tile[row][column] = in[(y + row) * pitch + x + column];
    }
  }
  __syncthreads();
  const float centre = tile[threadIdx.y + 3][threadIdx.x + 3];
  float sum = 0;
  float weights = 0;
#pragma unroll
  for (int dy = 0; dy < 7; ++dy) {
#pragma unroll
    for (int dx = 0; dx < 7; ++dx) {
      weigh(sum, weights, tile[threadIdx.y + dy][threadIdx.x + dx], centre,
            (dx - 3) * (dx - 3) + (dy - 3) * (dy - 3));
    }
  }
  out[(y + threadIdx.y) * 2048 + x + threadIdx.x] = sum / weights;
}
