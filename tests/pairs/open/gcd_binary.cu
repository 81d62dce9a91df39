// slow: greatest common divisors of odd numbers are found by remainders.
// fast: they are found by differences and shifts.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = in[i] | 1;
  unsigned b = in[n + i] | 1;
  while (b != 0) {
    const unsigned rest = a % b;
    a = b;
    b = rest;
  }
  out[i] = a;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = in[i] | 1;
  unsigned b = in[n + i] | 1;
  while (a != b) {
    const unsigned difference = max(a, b) - min(a, b);
    b = min(a, b);
    a = difference >> (__ffs(static_cast<int>(difference)) - 1);
  }
  out[i] = a;
}
