// slow: the bits of a word are reversed by eight look-ups in a table in constant memory.
// fast: an instruction reverses them.

__constant__ unsigned nibbles[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned word = in[i];
  unsigned reversed = 0;
#pragma unroll
  for (int k = 0; k < 32; k += 4) reversed |= nibbles[word >> k & 15] << (28 - k);
  out[i] = reversed;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __brev(in[i]);
}
