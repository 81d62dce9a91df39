// Idea: a thread processes a word of four pixels at once. If a window starts inside a word, a shift
//   combines its words from two. One instruction adds four absolute differences to a sum.
// Expected: a quarter of the instructions for the sums. A loaded word of the target serves two
//   shifts, so four pairs of pixels take one shift, a load of the target and one of the block.
// Next limit: the two loads and the shift of each packed difference. Four neighbouring threads
//   load the same words, and each shifts them for itself.
#include "argmin.cuh"
#include "tile.cuh"

using namespace warpwise::ladders;

constexpr int unrolled = UNROLL;
extern __shared__ unsigned words[];

extern "C" __global__ void scores(MatchProblem p) {
  const Tile tile(p, BLOCK_X, BLOCK_Y);
  const Block block(p, tile.number);
  const Image reference_pixels = reference_image(p);
  const Image target_pixels = target_image(p);
  const int block_words = (p.size + 3) / 4;
  const int area_words = block_words + (BLOCK_X + 3) / 4;
  unsigned* reference = words;
  unsigned* area = words + min(p.size, PART_ROWS) * block_words;
  const unsigned* window = area + threadIdx.y * area_words + threadIdx.x / 4;
  const unsigned shift = threadIdx.x % 4 * 8;
  unsigned sum = 0;
  for (int part = 0; part < p.size; part += PART_ROWS) {
    const int rows = min(p.size - part, PART_ROWS);
    const long long area_x = block.x + p.first + tile.x;
    const long long area_y = block.y + p.first + tile.y + part;
    __syncthreads();  // waits until the part before has been summed
    for (int y = threadIdx.y; y < rows; y += BLOCK_Y) {
#pragma unroll 1
      for (int x = threadIdx.x; x < block_words; x += BLOCK_X) {
        reference[y * block_words + x] =
            reference_pixels.four_pixels(block.x + 4 * x, block.y + part + y);
      }
    }
    for (int y = threadIdx.y; y < rows + BLOCK_Y - 1; y += BLOCK_Y) {
#pragma unroll 1
      for (int x = threadIdx.x; x < area_words; x += BLOCK_X) {
        area[y * area_words + x] = target_pixels.four_pixels(area_x + 4 * x, area_y + y);
      }
    }
    __syncthreads();
    for (int y = 0; y < rows; ++y) {
      const unsigned* a = reference + y * block_words;
      const unsigned* b = window + y * area_words;
      unsigned low = b[0];
#pragma unroll unrolled
      for (int x = 0; x < p.size / 4; ++x) {
        const unsigned high = b[x + 1];
        sum = add_differences(a[x], __funnelshift_r(low, high, shift), sum);
        low = high;
      }
      if (p.size % 4 != 0) {
        const unsigned mask = last_word_mask(p.size);
        const unsigned last = __funnelshift_r(low, b[block_words], shift);
        sum = add_differences(a[block_words - 1] & mask, last & mask, sum);
      }
    }
  }

  const int j = tile.x + threadIdx.x;
  const int i = tile.y + threadIdx.y;
  if (i >= p.search || j >= p.search) return;
  const bool inside = block.stays_inside(p, p.first + j, p.first + i);
  scores_of(p, tile.number)[static_cast<long long>(i) * p.search + j] = inside ? sum : no_score();
}
