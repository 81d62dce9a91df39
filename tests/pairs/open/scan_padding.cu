// slow: running sums use a tree in shared memory; its strides of powers of two meet in few banks.
// fast: one word of padding follows each 32 words.

template <bool padded>
__device__ int place(int i) {
  return padded ? i + i / 32 : i;
}
template <bool padded>
__device__ void scan(unsigned* out, const unsigned* in) {
  __shared__ unsigned sums[1024 + 32];
  const int thread = threadIdx.x;
  for (int i = thread; i < 1024; i += 512) sums[place<padded>(i)] = in[blockIdx.x * 1024 + i];
  int stride = 1;
  for (int active = 512; active > 0; active /= 2, stride *= 2) {
    __syncthreads();
    if (thread < active) {
      const int left = place<padded>(stride * (2 * thread + 1) - 1);
      sums[place<padded>(stride * (2 * thread + 2) - 1)] += sums[left];
    }
  }
  if (thread == 0) sums[place<padded>(1023)] = 0;
  for (int active = 1; active <= 512; active *= 2) {
    stride /= 2;
    __syncthreads();
    if (thread < active) {
      const int left = place<padded>(stride * (2 * thread + 1) - 1);
      const int right = place<padded>(stride * (2 * thread + 2) - 1);
      const unsigned before = sums[left];
      sums[left] = sums[right];
      sums[right] += before;
    }
  }
  __syncthreads();
  for (int i = thread; i < 1024; i += 512) out[blockIdx.x * 1024 + i] = sums[place<padded>(i)];
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in) { scan<false>(out, in); }
extern "C" __global__ void fast(unsigned* out, const unsigned* in) { scan<true>(out, in); }
