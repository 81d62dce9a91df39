// slow: a number is divided four times by a divisor that only the caller knows.
// fast: the product with a reciprocal is a guess that one step makes exact.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, unsigned divisor) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = in[i];
  unsigned sum = 0;
  for (int k = 0; k < 4; ++k) {
    sum += value / divisor;
    value = value * 1664525U + 1013904223U;
  }
  out[i] = sum;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, unsigned divisor) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned reciprocal = 0xffffffffU / divisor;
  unsigned value = in[i];
  unsigned sum = 0;
  for (int k = 0; k < 4; ++k) {
    const unsigned quotient = __umulhi(value, reciprocal);
    const unsigned rest = value - quotient * divisor;
    sum += quotient + (rest >= divisor ? 1 : 0);
    value = value * 1664525U + 1013904223U;
  }
  out[i] = sum;
}
