// slow: a remainder by 2^31 - 1 is taken of 64-bit products, and only the caller knows the divisor.
// fast: the two halves of a product are added, and the divisor is taken off once where need be.

extern "C" __global__ void slow(unsigned* out, const unsigned* seeds, unsigned modulus) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = seeds[i] & 2147483647U;
  for (int k = 0; k < 16; ++k) x = static_cast<unsigned>(16807ULL * x % modulus);
  out[i] = x;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* seeds, unsigned modulus) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = seeds[i] & 2147483647U;
  for (int k = 0; k < 16; ++k) {
    const unsigned long long product = 16807ULL * x;
    x = static_cast<unsigned>(product & modulus) + static_cast<unsigned>(product >> 31);
    if (x >= modulus) x -= modulus;
  }
  out[i] = x;
}
