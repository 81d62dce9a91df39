// Idea: in each turn of a grid-stride loop a thread copies one int. Any grid copies any count.
// Expected: a warp's load is one request for 128 adjacent bytes, the fewest transactions possible.
//   Each load needs three more instructions, and each thread has one load in flight.
// Next limit: instructions and requests: there is one request for every 128 bytes.
#include "problem.hpp"

extern "C" __global__ void copy(warpwise::ladders::CopyProblem p) {
  const long long stride = static_cast<long long>(gridDim.x) * BLOCK_X;
  // The loop is not unrolled, here and in the next rungs: loads would still wait for earlier
  // stores, and the number of turns would have to be divided by the unrolling factor.
#pragma unroll 1
  for (long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x; i < p.count;
       i += stride) {
    p.dst[i] = p.src[i];
  }
}
