// Idea: in each iteration of a grid-stride loop a thread copies one int. Any grid fits any count.
// Expected: a warp's load is one request for 128 adjacent bytes, the fewest transactions possible.
//   Each load needs three more instructions, and each thread has one load in flight.
// Next limit: instructions and requests: there is one request for every 128 bytes.
#include "problem.hpp"

extern "C" __global__ void copy(warpwise::ladders::CopyProblem p) {
  const long long stride = static_cast<long long>(gridDim.x) * BLOCK_X;
  // Unrolling would not help, here and in the next rungs. The compiler cannot exclude that src and
  // dst overlap, so it would still place each load after the store of the previous iteration.
#pragma unroll 1
  for (long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x; i < p.count;
       i += stride) {
    p.dst[i] = p.src[i];
  }
}
