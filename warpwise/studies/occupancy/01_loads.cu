// Idea: a copy of LOADS words for each thread. The thread loads all of them before it stores the
//   first, so LOADS loads of each thread are in flight. An SM then has its resident threads times
//   LOADS times 4 bytes in flight. Unused dynamic shared memory limits the blocks, and with them
//   the threads.
// Expected: the time falls as the bytes in flight grow, by occupancy or by loads alike, up to
//   latency times bandwidth. Beyond that neither helps.
// Next limit: bandwidth.
extern "C" __global__ void occupancy(unsigned* out, const unsigned* in, long long count) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK_X * LOADS + threadIdx.x;
  unsigned words[LOADS];
#pragma unroll
  for (int k = 0; k < LOADS; ++k) {
    const long long i = first + k * BLOCK_X;
    words[k] = i < count ? in[i] : 0;
  }
#pragma unroll
  for (int k = 0; k < LOADS; ++k) {
    const long long i = first + k * BLOCK_X;
    if (i < count) out[i] = words[k];
  }
}
