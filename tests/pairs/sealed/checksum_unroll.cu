// slow: a thread loads a word and adds it to a checksum, in a loop that is not unrolled.
// fast: the loop is unrolled by 16, so that 16 loads are under way.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 1;
#pragma unroll 1
  for (int k = 0; k < words; ++k) sum = sum * 31 + in[k * 33792 + i];
  out[i] = sum;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 1;
#pragma unroll 16
  for (int k = 0; k < words; ++k) sum = sum * 31 + in[k * 33792 + i];
  out[i] = sum;
}
