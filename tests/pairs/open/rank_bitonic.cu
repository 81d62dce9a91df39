// slow: a thread compares its key with all 512 keys of its segment, and counts those before it.
// fast: a block sorts its segment by a bitonic network in shared memory.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned keys[512];
  const int t = threadIdx.x;
  const unsigned key = in[blockIdx.x * 512 + t];
  keys[t] = key;
  __syncthreads();
  int rank = 0;
  for (int k = 0; k < 512; ++k) {
    const unsigned other = keys[k];
    if (other < key || (other == key && k < t)) ++rank;
  }
  out[blockIdx.x * 512 + rank] = key;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned keys[512];
  const int t = threadIdx.x;
  keys[t] = in[blockIdx.x * 512 + t];
  __syncthreads();
  for (int size = 2; size <= 512; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int partner = t ^ stride;
      if (partner > t) {
        const unsigned a = keys[t];
        const unsigned b = keys[partner];
        if ((a > b) == ((t & size) == 0)) {
          keys[t] = b;
          keys[partner] = a;
        }
      }
      __syncthreads();
    }
  }
  out[blockIdx.x * 512 + t] = keys[t];
}
