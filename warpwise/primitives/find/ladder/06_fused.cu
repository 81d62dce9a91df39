// Idea: a thread block keeps the best of its places, and no score goes through memory. A last
//   kernel, one thread block, finds the best of these places.
// Expected: scores are no longer written and read again, 8 bytes a place for zncc and 4 for sad.
//   One kernel is no longer needed.
// Next limit: the packed products or differences,
//   sixteen for each loaded word of four pixels.
#include "candidates.cuh"
#include "group.cuh"
#if SUMS
#include "running_sums.cuh"
#endif

using namespace warpwise::ladders;

extern __shared__ unsigned words[];

extern "C" __global__ void search(FindProblem p) {
  const Tile tile(p, 4 * BLOCK_X, ROWS * BLOCK_Y);
  Group group;
  group.add_template(p, tile, words);
  Best best;
  group.use_scores(p, tile, [&](long long place, Score score) { best.offer(score, place); });
  store_candidate(p, best_of_block<BLOCK_X * BLOCK_Y>(best));
}

extern "C" __global__ void choose(FindProblem p) {
  choose_best(p, candidates_of(p), tiles_of(p, 4 * BLOCK_X, ROWS * BLOCK_Y));
}
