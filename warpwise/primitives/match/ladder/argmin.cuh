#pragma once

#include "candidates.cuh"

/// The second kernel of the rungs that keep an image block's scores together: a warp finds the best
/// of them.
extern "C" __global__ void argmin(warpwise::ladders::MatchProblem p) {
  using namespace warpwise::ladders;
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long number = thread / 32;
  const long long candidates = static_cast<long long>(p.search) * p.search;
  if (number >= p.columns * p.rows) return;  // a whole warp returns
  const Score* scores = static_cast<const Score*>(p.scratch) + number * candidates;
  Best best;
  for (long long place = thread % 32; place < candidates; place += 32) {
    const Score score = scores[place];
    if (score != no_score()) best.offer(score, static_cast<unsigned>(place));
  }
  best = best_of_warp(best);
  if (thread % 32 == 0) best.store(p, number);
}
