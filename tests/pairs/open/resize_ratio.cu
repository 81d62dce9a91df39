// slow: the place of a nearest pixel comes from divisions by a variable.
// fast: the place comes from a product with the ratio of the sizes and a shift.

extern "C" __global__ void slow(unsigned char* out, const unsigned char* in, unsigned from,
                                unsigned to, unsigned step) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x;
  const unsigned y = blockIdx.y * 8 + threadIdx.y;
  out[y * to + x] = in[y * from / to * from + x * from / to];
}
extern "C" __global__ void fast(unsigned char* out, const unsigned char* in, unsigned from,
                                unsigned to, unsigned step) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x;
  const unsigned y = blockIdx.y * 8 + threadIdx.y;
  out[y * to + x] = in[(y * step >> 16) * from + (x * step >> 16)];
}
