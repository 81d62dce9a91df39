__device__ int limited(int value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

__global__ void convert(unsigned* out, const unsigned char* in, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int r = in[3 * i];
  const int b = in[3 * i + 2];
  const int y = (4899 * r + 9617 * in[3 * i + 1] + 1868 * b + 8192) / 16384;
  const int cb = limited(((b - y) * 9241 + 128 * 16384 + 8192) >> 14);
  const int cr = limited(((r - y) * 11682 + 128 * 16384 + 8192) >> 14);
  out[i] = y + 256 * cb + 65536 * cr;
}
