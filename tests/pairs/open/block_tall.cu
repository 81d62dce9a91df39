// slow: a block of a 3 x 3 mean is 4 elements wide and 64 high.
// fast: a block is 64 elements wide and 4 high.

__device__ void mean(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) return;
  float sum = 0;
  for (int row = y - 1; row <= y + 1; ++row) {
    for (int column = x - 1; column <= x + 1; ++column) sum += in[row * width + column];
  }
  out[y * width + x] = sum * (1.0F / 9);
}
extern "C" __global__ void slow(float* out, const float* in, int width, int height) {
  mean(out, in, width, height);
}
extern "C" __global__ void fast(float* out, const float* in, int width, int height) {
  mean(out, in, width, height);
}
