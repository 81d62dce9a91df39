#pragma once

#include "places.cuh"

// For the rungs that write no scores: scratch memory holds the best place of each thread block.
namespace warpwise::ladders {

__device__ inline Best* candidates_of(const FindProblem& p) {
  return reinterpret_cast<Best*>(static_cast<unsigned char*>(p.scratch) + RunningSums::bytes(p));
}

/// \param best  the block's best place, in its first thread
__device__ inline void store_candidate(const FindProblem& p, const Best& best) {
  if (threadIdx.x == 0 && threadIdx.y == 0) candidates_of(p)[blockIdx.x] = best;
}

}  // namespace warpwise::ladders
