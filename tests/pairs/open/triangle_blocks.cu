// slow: distances of all pairs; the blocks below the diagonal have nothing to do and end.
// fast: only the blocks of the triangle are launched, and find their place in it.

__device__ void distance(float* out, const float* in, int n, int tile_x, int tile_y) {
  const int x = tile_x * 16 + threadIdx.x;
  const int y = tile_y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 16; ++k) {
    const float difference = in[k * n + x] - in[k * n + y];
    sum += difference * difference;
  }
  out[y * n + x] = sqrtf(sum);
}
extern "C" __global__ void slow(float* out, const float* in, int n) {
  if (blockIdx.y > blockIdx.x) return;
  distance(out, in, n, blockIdx.x, blockIdx.y);
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  const int tiles = n / 16;
  int x = blockIdx.x;
  int y = blockIdx.y;
  if (x < tiles - y) {
    x += y;
  } else {
    x -= 1;
    y = tiles - 1 - y;
  }
  distance(out, in, n, x, y);
}
