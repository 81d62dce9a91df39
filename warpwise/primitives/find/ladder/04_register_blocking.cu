// Idea: a thread scores a group of adjacent places, 4 wide and ROWS high. Their windows overlap:
//   a word loaded and shifted once serves several places.
// Expected: with one row, three loads and three shifts for four packed differences or products;
//   with four rows, the same for sixteen, because the shifted words of four rows of the image stay
//   in registers. zncc's sums over the template are computed once for the group.
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
