// slow: the digits of a number are added up in a base that only the caller knows.
// fast: the compiler knows the base, and divides by a product.

__device__ unsigned digits(unsigned number, unsigned base) {
  unsigned sum = 0;
  for (; number > 0; number /= base) sum += number % base;
  return sum;
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in, unsigned base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = digits(in[i], base);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, unsigned) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = digits(in[i], 10);
}
