// Idea: whole structs, assigned: the compiler chooses the accesses by the struct's size and by the
//   alignment that its type promises. STRUCT_INTS ints, at multiples of STRUCT_ALIGNMENT bytes.
// Expected: 16 bytes at multiples of 16 become one access, like int4. A struct of two ints and a
//   double is as large, but promises only multiples of 8: two accesses, each of which uses every
//   other 8 bytes of a warp's range. 12 bytes become three accesses of 4, and a warp's lanes are 12
//   bytes apart: each access touches all the sectors of its 384 bytes.
// Next limit: as with vectors, latency; with a double or 12 bytes, sectors requested again.
#include "problem.hpp"

struct alignas(STRUCT_ALIGNMENT) Ints {
  int value[STRUCT_INTS];
};

extern "C" __global__ void copy(warpwise::ladders::CopyProblem p) {
  const long long stride = static_cast<long long>(gridDim.x) * BLOCK_X;
  const long long thread = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const unsigned long long addresses =
      reinterpret_cast<unsigned long long>(p.src) | reinterpret_cast<unsigned long long>(p.dst);
  const long long structs = addresses % STRUCT_ALIGNMENT == 0 ? p.count / STRUCT_INTS : 0;

  const Ints* const from = reinterpret_cast<const Ints*>(p.src);
  Ints* const to = reinterpret_cast<Ints*>(p.dst);
#pragma unroll 1
  for (long long i = thread; i < structs; i += stride) to[i] = from[i];
#pragma unroll 1
  for (long long i = structs * STRUCT_INTS + thread; i < p.count; i += stride) p.dst[i] = p.src[i];
}
