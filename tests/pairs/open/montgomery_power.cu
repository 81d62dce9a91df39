// slow: powers modulo an odd number; each product is divided by it.
// fast: the products are reduced as Montgomery does, by two multiplications.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, unsigned modulus,
                                unsigned exponent) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long base = in[i] % modulus;
  unsigned long long power = 1;
  for (unsigned rest = exponent; rest != 0; rest >>= 1) {
    if (rest & 1) power = power * base % modulus;
    base = base * base % modulus;
  }
  out[i] = static_cast<unsigned>(power);
}
__device__ unsigned reduced(unsigned long long product, unsigned modulus, unsigned inverse) {
  const unsigned factor = static_cast<unsigned>(product) * inverse;
  const unsigned long long sum = product + static_cast<unsigned long long>(factor) * modulus;
  const unsigned rest = static_cast<unsigned>(sum >> 32);
  return rest < modulus ? rest : rest - modulus;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, unsigned modulus,
                                unsigned exponent) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned inverse = modulus;
  for (int k = 0; k < 4; ++k) inverse *= 2 - modulus * inverse;
  inverse = 0 - inverse;
  const unsigned long long word = 1ULL << 32;
  unsigned long long base = in[i] % modulus * word % modulus;
  unsigned long long power = word % modulus;
  for (unsigned rest = exponent; rest != 0; rest >>= 1) {
    if (rest & 1) power = reduced(power * base, modulus, inverse);
    base = reduced(base * base, modulus, inverse);
  }
  out[i] = reduced(power, modulus, inverse);
}
