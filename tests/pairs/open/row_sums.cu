// slow: a thread adds up a row.
// fast: a warp adds up a row.

extern "C" __global__ void slow(float* out, const float* in, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int x = 0; x < width; ++x) sum += in[row * width + x];
  out[row] = sum;
}
extern "C" __global__ void fast(float* out, const float* in, int width) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
  for (int x = threadIdx.x % 32; x < width; x += 32) sum += in[row * width + x];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  if (threadIdx.x % 32 == 0) out[row] = sum;
}
