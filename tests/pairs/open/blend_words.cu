// slow: pixels of four bytes are laid over others; each byte is loaded and stored alone.
// fast: a pixel is loaded and stored as one word.

__device__ unsigned char blend(int over, int under, int alpha) {
  return static_cast<unsigned char>((over * alpha + under * (255 - alpha) + 127) / 255);
}
extern "C" __global__ void slow(unsigned char* out, const unsigned char* over,
                                const unsigned char* under) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  const int alpha = over[i + 3];
  for (int k = 0; k < 3; ++k) out[i + k] = blend(over[i + k], under[i + k], alpha);
  out[i + 3] = blend(255, under[i + 3], alpha);
}
extern "C" __global__ void fast(unsigned char* out, const unsigned char* over,
                                const unsigned char* under) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uchar4 a = reinterpret_cast<const uchar4*>(over)[i];
  const uchar4 b = reinterpret_cast<const uchar4*>(under)[i];
  uchar4 to;
  to.x = blend(a.x, b.x, a.w);
  to.y = blend(a.y, b.y, a.w);
  to.z = blend(a.z, b.z, a.w);
  to.w = blend(255, b.w, a.w);
  reinterpret_cast<uchar4*>(out)[i] = to;
}
