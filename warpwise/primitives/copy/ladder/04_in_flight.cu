// Idea: in each iteration a thread loads IN_FLIGHT vectors of four ints before it stores the first.
//   STREAMING marks the data as used once, so that their cache lines are evicted first.
// Expected: each thread has IN_FLIGHT times the bytes in flight. This hides the memory's latency
//   even if few threads are resident. Each vector takes four more registers.
// Next limit: the memory's bandwidth. More vectors would take more registers and thus leave fewer
//   resident warps, without a gain.
#include "problem.hpp"

extern "C" __global__ void copy(warpwise::ladders::CopyProblem p) {
  const long long stride = static_cast<long long>(gridDim.x) * BLOCK_X;
  const long long thread = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const unsigned long long addresses =
      reinterpret_cast<unsigned long long>(p.src) | reinterpret_cast<unsigned long long>(p.dst);
  const long long vectors = addresses % sizeof(int4) == 0 ? p.count / 4 : 0;

  const int4* const from = reinterpret_cast<const int4*>(p.src);
  int4* const to = reinterpret_cast<int4*>(p.dst);
#pragma unroll 1
  for (long long i = thread; i < vectors; i += IN_FLIGHT * stride) {
    int4 value[IN_FLIGHT];
#pragma unroll
    for (int k = 0; k < IN_FLIGHT; ++k) {
      const long long at = i + k * stride;
      if (at < vectors) value[k] = STREAMING ? __ldcs(from + at) : from[at];
    }
#pragma unroll
    for (int k = 0; k < IN_FLIGHT; ++k) {
      const long long at = i + k * stride;
      if (at < vectors) STREAMING ? __stcs(to + at, value[k]) : void(to[at] = value[k]);
    }
  }
#pragma unroll 1
  for (long long i = vectors * 4 + thread; i < p.count; i += stride) p.dst[i] = p.src[i];
}
