// slow: an image is turned by 30 degrees, from global memory, and places outside are clamped.
// fast: a texture is read, which clamps by itself.

__device__ float2 place(int x, int y, int n) {
  const float right = static_cast<float>(x - n / 2);
  const float down = static_cast<float>(y - n / 2);
  const float middle = static_cast<float>(n / 2);
  return {floorf(0.8660254F * right - 0.5F * down + middle),
          floorf(0.5F * right + 0.8660254F * down + middle)};
}
extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const float2 from = place(x, y, n);
  const int column = min(max(static_cast<int>(from.x), 0), n - 1);
  const int row = min(max(static_cast<int>(from.y), 0), n - 1);
  out[y * n + x] = in[row * n + column];
}
extern "C" __global__ void fast(float* out, cudaTextureObject_t in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const float2 from = place(x, y, n);
  out[y * n + x] = tex2D<float>(in, from.x + 0.5F, from.y + 0.5F);
}
