// Idea: each thread copies LOADS words. It loads all of them before it stores the first of them, so
//   that LOADS of its loads are in flight at the same time. The bytes in flight on an SM are then
//   its resident threads times LOADS times 4. Unused dynamic shared memory limits the number of
//   resident blocks of an SM, and with them its resident threads.
// Expected: the time falls as the bytes in flight grow, up to latency times bandwidth. More threads
//   and more loads per thread have the same effect. Beyond this amount neither helps.
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
