// Idea: a thread scores a group of adjacent places, 4 wide and ROWS high. Their windows overlap,
//   so a word loaded and shifted once serves several places.
// Expected: each template word takes three loads, two of them of image words, and three shifts.
//   With one row of places they serve four packed differences or products, with four rows sixteen,
//   because shifted words stay in registers. A group computes zncc's template sums only once.
// Next limit: for sad the packed differences themselves. For zncc two of each three packed products
//   are squares and sums of the image alone.
#include "group.cuh"
#include "ranked.cuh"

using namespace warpwise::ladders;

extern __shared__ unsigned words[];

extern "C" __global__ void scores(FindProblem p) {
  const Tile tile(p, 4 * BLOCK_X, ROWS * BLOCK_Y);
  Group group;
  group.add_template(p, tile, words);
  Score* scores = scores_of(p);
  group.use_scores(p, tile, [&](long long place, Score score) { scores[place] = score; });
}
