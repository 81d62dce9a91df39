#pragma once

#include "places.cuh"

// For the rungs that write every score to memory: the place of a score, and the two kernels that
// find the best one. A block of the first kernel ranks RANKED places. Scratch memory holds these
// blocks' results, followed by a score for each place.
namespace warpwise::ladders {

__device__ inline long long rankings_of(const FindProblem& p) {
  return (places_of(p) + RANKED - 1) / RANKED;
}

__device__ inline Best* candidates_of(const FindProblem& p) {
  return reinterpret_cast<Best*>(static_cast<unsigned char*>(p.scratch) + RunningSums::bytes(p));
}

__device__ inline Score* scores_of(const FindProblem& p) {
  return reinterpret_cast<Score*>(candidates_of(p) + rankings_of(p));
}

}  // namespace warpwise::ladders

extern "C" __global__ void rank(warpwise::ladders::FindProblem p) {
  using namespace warpwise::ladders;
  const Score* scores = scores_of(p);
  const long long first = static_cast<long long>(blockIdx.x) * RANKED;
  const long long end = min(first + RANKED, places_of(p));
  Best best;
  for (long long i = first + threadIdx.x; i < end; i += choose_threads) best.offer(scores[i], i);
  best = best_of_block<choose_threads>(best);
  if (threadIdx.x == 0) candidates_of(p)[blockIdx.x] = best;
}

extern "C" __global__ void choose(warpwise::ladders::FindProblem p) {
  using namespace warpwise::ladders;
  choose_best(p, candidates_of(p), rankings_of(p));
}
