// slow: a thread writes the two hexadecimal digits of one byte, a byte at a time.
// fast: a thread makes four digits in a word, and writes sixteen at once.

__device__ unsigned char digit(unsigned value) {
  return value < 10 ? '0' + value : 'a' + value - 10;
}
extern "C" __global__ void slow(unsigned char* out, const unsigned char* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned byte = in[i];
  out[2 * i] = digit(byte >> 4);
  out[2 * i + 1] = digit(byte & 15);
}
__device__ unsigned digits(unsigned two) {
  const unsigned values =
      (two >> 4 & 15) | (two & 15) << 8 | (two >> 12 & 15) << 16 | (two >> 8 & 15) << 24;
  const unsigned letters = ((values + 0x06060606) >> 4) & 0x01010101;
  return values + 0x30303030 + letters * 39;
}
extern "C" __global__ void fast(unsigned char* out, const unsigned char* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint2 v = reinterpret_cast<const uint2*>(in)[i];
  reinterpret_cast<uint4*>(out)[i] =
      make_uint4(digits(v.x), digits(v.x >> 16), digits(v.y), digits(v.y >> 16));
}
