// slow: an image is displaced by up to 16 pixels, each pixel as a map says, by loads from memory.
// fast: the pixels come from a texture.

struct Place {
  int x;
  int y;
};
__device__ Place place(const unsigned* map, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const unsigned by = map[y * n + x];
  const int to_x = x + static_cast<int>(by & 31) - 16;
  const int to_y = y + static_cast<int>(by >> 5 & 31) - 16;
  return {min(max(to_x, 0), n - 1), min(max(to_y, 0), n - 1)};
}
extern "C" __global__ void slow(float* out, const float* in, const unsigned* map, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const Place from = place(map, n);
  out[y * n + x] = in[from.y * n + from.x];
}
extern "C" __global__ void fast(float* out, cudaTextureObject_t in, const unsigned* map, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const Place from = place(map, n);
  const float column = static_cast<float>(from.x) + 0.5F;
  out[y * n + x] = tex2D<float>(in, column, static_cast<float>(from.y) + 0.5F);
}
