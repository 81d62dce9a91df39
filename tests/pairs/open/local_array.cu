// slow: an array that is indexed by data lies in local memory.
// fast: the array is one 64-bit number, which holds sixteen counters of four bits in registers.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = in[i];
  unsigned counts[16] = {};
  for (int digit = 0; digit < 8; ++digit, value >>= 4) ++counts[value & 15];
  unsigned sum = 0;
  for (int k = 0; k < 16; ++k) sum += counts[k] * counts[k];
  out[i] = sum;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = in[i];
  unsigned long long counts = 0;
  for (int digit = 0; digit < 8; ++digit, value >>= 4) counts += 1ULL << 4 * (value & 15);
  unsigned sum = 0;
  for (int k = 0; k < 16; ++k, counts >>= 4) sum += (counts & 15) * (counts & 15);
  out[i] = sum;
}
