// Idea: the image's sum and sum of squares below each place do not depend on the template. They are
//   computed first, as running sums: down the columns one pixel enters and one leaves, along the
//   rows one column enters and one leaves. The template's own sums are computed once.
// Expected: one packed product instead of three, and a third of the registers. The running sums
//   take about 32 bytes of memory a place, whatever the template.
// Next limit: the packed products;
//   the scores' path to memory and back.
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
