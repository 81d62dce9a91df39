// slow: row and column come from a division by a variable and its remainder.
// fast: the width is a power of two, so that a shift and a mask give them.

extern "C" __global__ void slow(unsigned* out, unsigned width) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = (i / width) * 3 + (i % width) * 5;
}
extern "C" __global__ void fast(unsigned* out, unsigned shift) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = (i >> shift) * 3 + (i & ((1U << shift) - 1)) * 5;
}
