// fails: instructions_per_element
// A word of the result has Y in its lowest byte, then Cb, then Cr, then 0.
__device__ unsigned ycbcr(int r, int g, int b) {
  const int y = (4899 * r + 9617 * g + 1868 * b + 8192) >> 14;
  const int cb = min(max(((b - y) * 9241 + (128 << 14) + 8192) >> 14, 0), 255);
  const int cr = min(max(((r - y) * 11682 + (128 << 14) + 8192) >> 14, 0), 255);
  return y | cb << 8 | cr << 16;
}

__global__ void convert(unsigned* out, const unsigned char* in, int count) {
  const int thread = blockIdx.x * 128 + threadIdx.x;
  const unsigned* const words = reinterpret_cast<const unsigned*>(in);
  for (int i = blockIdx.x * 128; i < min(blockIdx.x * 128 + 128, count / 4) && threadIdx.x == 0;
       ++i) {
    const unsigned a = words[3 * i];      // r0 g0 b0 r1
    const unsigned b = words[3 * i + 1];  // g1 b1 r2 g2
    const unsigned c = words[3 * i + 2];  // b2 r3 g3 b3
    uint4 four;
    four.x = ycbcr(a & 255, a >> 8 & 255, a >> 16 & 255);
    four.y = ycbcr(a >> 24, b & 255, b >> 8 & 255);
    four.z = ycbcr(b >> 16 & 255, b >> 24, c & 255);
    four.w = ycbcr(c >> 8 & 255, c >> 16 & 255, c >> 24);
    reinterpret_cast<uint4*>(out)[i] = four;
  }
  const int rest = count / 4 * 4 + thread;
  if (rest < count) out[rest] = ycbcr(in[3 * rest], in[3 * rest + 1], in[3 * rest + 2]);
}
