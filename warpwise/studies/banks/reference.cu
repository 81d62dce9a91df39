// Expected result, computed without shared memory: a copy or, with READ 2, each block's 256 words
// transposed as a matrix of 16 by 16.
extern "C" __global__ void reference(unsigned* out, const unsigned* in, long long count, int) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK_X;
  const int thread = threadIdx.x;
  for (int k = 0; k < WORDS; ++k) {
    const long long to = (first + thread) * WORDS + k;
    long long from = to;
#ifdef READ
    if (READ == 2) from = first + thread % 16 * 16 + thread / 16;
#endif
    // A word beyond the end counts as 0, as in the kernel.
    if (to < count) out[to] = from < count ? in[from] : 0;
  }
}
