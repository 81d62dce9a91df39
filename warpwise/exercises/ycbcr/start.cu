// A word of the result has Y in its lowest byte, then Cb, then Cr, then 0.
__device__ unsigned ycbcr(int r, int g, int b) {
  const int y = (4899 * r + 9617 * g + 1868 * b + 8192) >> 14;
  const int cb = min(max(((b - y) * 9241 + (128 << 14) + 8192) >> 14, 0), 255);
  const int cr = min(max(((r - y) * 11682 + (128 << 14) + 8192) >> 14, 0), 255);
  return y | cb << 8 | cr << 16;
}

__global__ void convert(unsigned* out, const unsigned char* in, int count) {
  for (int i = blockIdx.x * 128 + threadIdx.x; i < count; i += gridDim.x * 128) {
    out[i] = ycbcr(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
  }
}
