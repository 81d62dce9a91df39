// slow: one thread of a block adds up the 256 counts of a histogram, while the others wait.
// fast: all threads of the block add up the counts, by shuffles.

__device__ void count(unsigned* bins, const unsigned* in, int words, unsigned (&pixels)[4]) {
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    const int y = blockIdx.y * 64 + k * 16 + threadIdx.x / 16;
    pixels[k] = in[y * words + blockIdx.x * 16 + threadIdx.x % 16];
    for (int shift = 0; shift < 32; shift += 8) atomicAdd(&bins[pixels[k] >> shift & 255], 1U);
  }
  __syncthreads();
}
__device__ void apply(unsigned* out, const unsigned* bins, int words, const unsigned (&pixels)[4]) {
  for (int k = 0; k < 4; ++k) {
    const int y = blockIdx.y * 64 + k * 16 + threadIdx.x / 16;
    unsigned word = 0;
    for (int shift = 0; shift < 32; shift += 8)
      word |= (bins[pixels[k] >> shift & 255] * 255 >> 12) << shift;
    out[y * words + blockIdx.x * 16 + threadIdx.x % 16] = word;
  }
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in, int words) {
  __shared__ unsigned bins[256];
  unsigned pixels[4];
  count(bins, in, words, pixels);
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int i = 0; i < 256; ++i) {
      sum += bins[i];
      bins[i] = sum;
    }
  }
  __syncthreads();
  apply(out, bins, words, pixels);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int words) {
  __shared__ unsigned bins[256];
  __shared__ unsigned totals[8];
  unsigned pixels[4];
  count(bins, in, words, pixels);
  const int lane = threadIdx.x % 32;
  unsigned sum = bins[threadIdx.x];
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned other = __shfl_up_sync(~0U, sum, offset);
    if (lane >= offset) sum += other;
  }
  if (lane == 31) totals[threadIdx.x / 32] = sum;
  __syncthreads();
  for (int k = 0; k < threadIdx.x / 32; ++k) sum += totals[k];
  bins[threadIdx.x] = sum;
  __syncthreads();
  apply(out, bins, words, pixels);
}
