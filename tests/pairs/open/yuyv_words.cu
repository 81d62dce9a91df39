// slow: a thread reads the three bytes of one pixel, and writes its colour as four bytes.
// fast: a thread reads four pixels by one load of 8 bytes, and writes them by one store of 16.

__device__ unsigned clamp_byte(int x) { return min(max(x, 0), 255); }

__device__ unsigned colour(int y, int u, int v) {
  const int c = 298 * (y - 16) + 128;
  const unsigned red = clamp_byte((c + 409 * (v - 128)) >> 8);
  const unsigned green = clamp_byte((c - 100 * (u - 128) - 208 * (v - 128)) >> 8);
  const unsigned blue = clamp_byte((c + 516 * (u - 128)) >> 8);
  return red | green << 8 | blue << 16 | 0xFF000000U;
}
extern "C" __global__ void slow(unsigned char* out, const unsigned char* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int pair = i / 2;
  const unsigned rgba = colour(in[2 * i], in[4 * pair + 1], in[4 * pair + 3]);
  out[4 * i] = rgba & 255;
  out[4 * i + 1] = rgba >> 8 & 255;
  out[4 * i + 2] = rgba >> 16 & 255;
  out[4 * i + 3] = rgba >> 24;
}
extern "C" __global__ void fast(unsigned char* out, const unsigned char* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint2 words = reinterpret_cast<const uint2*>(in)[i];
  uint4 rgba;
  rgba.x = colour(words.x & 255, words.x >> 8 & 255, words.x >> 24);
  rgba.y = colour(words.x >> 16 & 255, words.x >> 8 & 255, words.x >> 24);
  rgba.z = colour(words.y & 255, words.y >> 8 & 255, words.y >> 24);
  rgba.w = colour(words.y >> 16 & 255, words.y >> 8 & 255, words.y >> 24);
  reinterpret_cast<uint4*>(out)[i] = rgba;
}
