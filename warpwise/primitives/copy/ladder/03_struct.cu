// Idea: a thread assigns whole structs of STRUCT_INTS ints, aligned to STRUCT_ALIGNMENT bytes. The
//   compiler chooses the accesses by the struct's size and alignment.
// Expected: 16 bytes aligned to 16 become one access, like int4. A struct of two ints and a double
//   has 16 bytes, but is aligned to 8 only: it takes two accesses, each of which uses every other 8
//   bytes of a warp's range. A struct of 12 bytes takes three accesses of 4. A warp's lanes are 12
//   bytes apart, so each of the three touches all the sectors of the warp's 384 bytes.
// Next limit: latency for 16 aligned bytes; for the other structs, sectors requested repeatedly.
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
