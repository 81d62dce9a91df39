// Idea: a thread copies VECTOR adjacent ints as one int2 or int4, by one load and one store.
// Expected: the loop has half or a quarter of the iterations, each with the same instructions. A
//   warp's load covers 256 or 512 bytes, and the bytes in flight grow accordingly.
// Next limit: latency; a thread waits for its one load before it stores.
#include "problem.hpp"

template <int ints>
struct Vector;
template <>
struct Vector<2> {
  using Type = int2;
};
template <>
struct Vector<4> {
  using Type = int4;
};

extern "C" __global__ void copy(warpwise::ladders::CopyProblem p) {
  using Ints = Vector<VECTOR>::Type;
  const long long stride = static_cast<long long>(gridDim.x) * BLOCK_X;
  const long long thread = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const unsigned long long addresses =
      reinterpret_cast<unsigned long long>(p.src) | reinterpret_cast<unsigned long long>(p.dst);
  // An address that is not a multiple of the vector's size would be a fault.
  const long long vectors = addresses % sizeof(Ints) == 0 ? p.count / VECTOR : 0;

  const Ints* const from = reinterpret_cast<const Ints*>(p.src);
  Ints* const to = reinterpret_cast<Ints*>(p.dst);
#pragma unroll 1
  for (long long i = thread; i < vectors; i += stride) to[i] = from[i];
#pragma unroll 1  // ints that no vector holds: the last, or all if arrays are not aligned
  for (long long i = vectors * VECTOR + thread; i < p.count; i += stride) p.dst[i] = p.src[i];
}
