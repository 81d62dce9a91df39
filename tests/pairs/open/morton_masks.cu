// slow: two coordinates are woven into a Morton code, bit by bit.
// fast: the bits are spread by shifts and masks, all at once.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned x = in[i] & 65535;
  const unsigned y = in[i] >> 16;
  unsigned code = 0;
  for (int bit = 0; bit < 16; ++bit) {
    code |= (x >> bit & 1) << (2 * bit);
    code |= (y >> bit & 1) << (2 * bit + 1);
  }
  out[i] = code;
}
__device__ unsigned spread(unsigned x) {
  x = (x | x << 8) & 0x00FF00FF;
  x = (x | x << 4) & 0x0F0F0F0F;
  x = (x | x << 2) & 0x33333333;
  return (x | x << 1) & 0x55555555;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = spread(in[i] & 65535) | spread(in[i] >> 16) << 1;
}
