// Idea: a thread processes a word of four pixels at once. If a window starts inside a word of
//   shared memory, a shift combines its words from two neighbours. One instruction adds four
//   absolute differences, or four products, to a sum.
// Expected: a quarter of the instructions. A loaded word of the image serves two shifts. Four pairs
//   of pixels thus take one shift and two loads, one of the image and one of the template.
// Next limit: for sad the two loads and the shift of each packed difference; for zncc the five
//   sums as well.
//   Four neighbouring threads load the same words, and each shifts them for itself.
#include "ranked.cuh"
#include "tile.cuh"

using namespace warpwise::ladders;

extern __shared__ unsigned words[];

/// Adds the pixels of a word of the template and of a word of the window to the sums.
__device__ void add_words(unsigned& pairs, OwnSums& templ, OwnSums& image, unsigned a, unsigned b) {
  add_pairs(pairs, a, b);
  if constexpr (with_own_sums) {
    templ.add_word(a);
    image.add_word(b);
  }
}

extern "C" __global__ void scores(FindProblem p) {
  const Tile tile(p, BLOCK_X, BLOCK_Y);
  Words part(p, words, (BLOCK_X + 3) / 4);
  const unsigned* window = part.area + threadIdx.y * part.area_words + threadIdx.x / 4;
  const unsigned shift = threadIdx.x % 4 * 8;
  unsigned pairs = 0;
  OwnSums templ, image;
  for (int first = 0; first < p.side; first += PART_ROWS) {
    const int rows = min(p.side - first, PART_ROWS);
    part.load(p, tile, first, rows, BLOCK_Y - 1);
    for (int y = 0; y < rows; ++y) {
      const unsigned* a = part.templ + y * part.templ_words;
      const unsigned* b = window + y * part.area_words;
      unsigned low = b[0];
#pragma unroll 4
      for (int x = 0; x < p.side / 4; ++x) {
        const unsigned high = b[x + 1];
        add_words(pairs, templ, image, a[x], __funnelshift_r(low, high, shift));
        low = high;
      }
      if (p.side % 4 != 0) {
        const unsigned last = __funnelshift_r(low, b[part.templ_words], shift);
        add_words(pairs, templ, image, a[part.templ_words - 1], last & last_word_mask(p.side));
      }
    }
  }

  const long long x = tile.x + threadIdx.x;
  const long long y = tile.y + threadIdx.y;
  if (x >= p.columns || y >= p.rows) return;
  scores_of(p)[y * p.columns + x] = score_of(p, pairs, templ, image);
}
