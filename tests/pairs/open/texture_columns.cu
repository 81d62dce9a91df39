// slow: an image is turned by 90 degrees; the loads go down its columns.
// fast: a texture, whose layout has neighbours of both directions near each other, is read instead.

extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  out[y * n + x] = in[x * n + n - 1 - y];
}
extern "C" __global__ void fast(float* out, cudaTextureObject_t in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const float from = static_cast<float>(n - 1 - y) + 0.5F;
  out[y * n + x] = tex2D<float>(in, from, static_cast<float>(x) + 0.5F);
}
