// slow: a remainder is taken of 64-bit numbers.
// fast: the numbers are below 2^32, and their remainder is taken of 32 bits.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, unsigned long long length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long value = in[i];
  for (int k = 0; k < 4; ++k) value = (value % length) * 7 + 1000000000;
  out[i] = static_cast<unsigned>(value);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, unsigned long long length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto short_length = static_cast<unsigned>(length);
  unsigned value = in[i];
  for (int k = 0; k < 4; ++k) value = (value % short_length) * 7 + 1000000000;
  out[i] = value;
}
