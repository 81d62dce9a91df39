// Idea: what depends on the image alone, its sum and its squares below each place, is made before,
//   by running sums: down the columns a pixel in and one out, along the rows a column in and one
//   out. The template's own sums are made once.
// Expected: one packed product in place of three, and a third of the registers. The running sums
// take
//   some 32 bytes of memory a place, whatever the template.
// Next limit: the packed products; the scores' way to memory and back.
#include "group.cuh"
#include "ranked.cuh"
#include "running_sums.cuh"

using namespace warpwise::ladders;

extern __shared__ unsigned words[];

extern "C" __global__ void scores(FindProblem p) {
  const Tile tile(p, 4 * BLOCK_X, ROWS * BLOCK_Y);
  Group group;
  group.add_template(p, tile, words);
  Score* scores = scores_of(p);
  group.use_scores(p, tile, [&](long long place, Score score) { scores[place] = score; });
}
