// slow: the coordinates of a 5 x 5 window are bounded by comparisons.
// fast: a texture bounds them.

extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
    for (int dx = -2; dx <= 2; ++dx) {
      sum += in[min(max(y + dy, 0), n - 1) * n + min(max(x + dx, 0), n - 1)];
    }
  }
  out[y * n + x] = sum;
}
extern "C" __global__ void fast(float* out, cudaTextureObject_t in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
    for (int dx = -2; dx <= 2; ++dx) {
      sum += tex2D<float>(in, static_cast<float>(x + dx) + 0.5F, static_cast<float>(y + dy) + 0.5F);
    }
  }
  out[y * n + x] = sum;
}
