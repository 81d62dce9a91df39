// slow: a running index is wrapped by a remainder at each step.
// fast: a running index is wrapped by a comparison and a subtraction.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, unsigned length) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned step = in[i] % length;
  unsigned at = 0;
  unsigned sum = 0;
  for (int k = 0; k < 32; ++k) {
    at = (at + step) % length;
    sum = sum * 3 + at;
  }
  out[i] = sum;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, unsigned length) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned step = in[i] % length;
  unsigned at = 0;
  unsigned sum = 0;
  for (int k = 0; k < 32; ++k) {
    at += step;
    if (at >= length) at -= length;
    sum = sum * 3 + at;
  }
  out[i] = sum;
}
