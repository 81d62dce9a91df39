// Idea: a copy, each thread with LOADS words: it asks for all of them before it stores the first,
//   so that LOADS loads of each thread are in flight. What is in flight on an SM is then its
//   resident threads times LOADS times 4 bytes; dynamic shared memory that nobody uses bounds the
//   blocks, and with them the threads.
// Expected: the time falls as what is in flight grows, by occupancy or by loads alike, until the
//   bandwidth is full: latency times bandwidth. Beyond, neither helps.
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
