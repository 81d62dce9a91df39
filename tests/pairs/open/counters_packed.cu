// slow: eight counters of a thread are an array with an index that is not known before.
// fast: they are the bytes of a number of 64 bits.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned counts[8] = {};
  for (int k = 0; k < 8; ++k) {
    const unsigned word = in[k * n + i];
#pragma unroll
    for (int shift = 0; shift < 32; shift += 4) ++counts[word >> shift & 7];
  }
  unsigned result = 0;
#pragma unroll
  for (int bin = 0; bin < 8; ++bin) result += counts[bin] * counts[bin] * (bin + 1);
  out[i] = result;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long counts = 0;
  for (int k = 0; k < 8; ++k) {
    const unsigned word = in[k * n + i];
#pragma unroll
    for (int shift = 0; shift < 32; shift += 4) counts += 1ULL << 8 * (word >> shift & 7);
  }
  unsigned result = 0;
#pragma unroll
  for (int bin = 0; bin < 8; ++bin) {
    const unsigned count = counts >> 8 * bin & 255;
    result += count * count * (bin + 1);
  }
  out[i] = result;
}
