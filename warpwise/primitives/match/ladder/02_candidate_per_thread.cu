// Idea: the loops over the displacements become threads, one for each candidate of each image
//   block. A thread of a second kernel finds the best of a block's scores. Neighbouring blocks'
//   scores are adjacent, so a warp's loads coalesce. With TEXTURE the images are read through
//   textures, which were the cached way to read them before CC 2.0.
// Expected: the number of threads is multiplied by the number of displacements, so all
//   multiprocessors are busy. Neighbouring threads still read pixels of neighbouring blocks.
// Next limit: transactions. A warp's 32 bytes lie in 32 sectors.
#include "pixels.cuh"

using namespace warpwise::ladders;

extern "C" __global__ void scores(MatchProblem p) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const long long blocks = p.columns * p.rows;
  const long long candidates = static_cast<long long>(p.search) * p.search;
  if (i >= blocks * candidates) return;
  const long long number = i % blocks;
  const long long place = i / blocks;
  const int dx = p.first + static_cast<int>(place % p.search);
  const int dy = p.first + static_cast<int>(place / p.search);
  static_cast<Score*>(p.scratch)[i] = score_at<TEXTURE>(p, Block(p, number), dx, dy);
}

extern "C" __global__ void argmin(MatchProblem p) {
  const long long number = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const long long blocks = p.columns * p.rows;
  const long long candidates = static_cast<long long>(p.search) * p.search;
  if (number >= blocks) return;
  const Score* scores = static_cast<const Score*>(p.scratch) + number;
  Best best;
  for (long long place = 0; place < candidates; ++place) {
    const Score score = scores[place * blocks];
    if (score != no_score()) best.offer(score, static_cast<unsigned>(place));
  }
  best.store(p, number);
}
