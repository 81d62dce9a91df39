// Idea: the image's sum and sum of squares below each place do not depend on the template. They are
//   computed first, as running sums. From row to row, a column's sums gain a pixel and lose one;
//   from place to place, a window's gain a column and lose one. The template is summed once.
// Expected: one packed product instead of three, and a third of the registers for sums. The running
//   sums move about 32 bytes to and from memory for each place, whatever the template's size.
// Next limit: the packed products;
//   also, every score is written to memory and read again.
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
