// Idea: neighbouring threads are neighbouring displacements of one block, not neighbouring blocks,
//   and a block's scores lie together. A warp finds the best of them. With TEXTURE the images are
//   read through textures.
// Expected: a warp reads the same pixel of the block and 32 adjacent ones of the target: two or
//   three transactions instead of 64. The next reads hit the same lines in the cache.
// Next limit: requests. Each pair of pixels takes two loads, and caches answer few of them a cycle.
#include "argmin.cuh"
#include "pixels.cuh"

using namespace warpwise::ladders;

extern "C" __global__ void scores(MatchProblem p) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const long long blocks = p.columns * p.rows;
  const long long candidates = static_cast<long long>(p.search) * p.search;
  if (i >= blocks * candidates) return;
  const long long number = i / candidates;
  const long long place = i % candidates;
  const int dx = p.first + static_cast<int>(place % p.search);
  const int dy = p.first + static_cast<int>(place / p.search);
  static_cast<Score*>(p.scratch)[i] = score_at<TEXTURE>(p, Block(p, number), dx, dy);
}
