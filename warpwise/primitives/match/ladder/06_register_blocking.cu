// Idea: a thread scores a group of adjacent candidates, 4 wide and ROWS high. Their windows
//   overlap: a word that is loaded and shifted once serves all candidates that need it.
// Expected: with one row, three loads and three shifts serve four packed differences. With four
//   rows they serve sixteen, because the shifted words of four target rows stay in registers.
// Next limit: with four rows, bank conflicts: threads one below the other read rows four apart in
//   the same banks, until PADDED changes the rows' pitch. The limits are then the packed
//   differences themselves, filling shared memory, and the second kernel.
#include "argmin.cuh"
#include "group.cuh"

using namespace warpwise::ladders;

extern __shared__ unsigned words[];

extern "C" __global__ void scores(MatchProblem p) {
  const Tile tile(p, 4 * BLOCK_X, ROWS * BLOCK_Y);
  const Block block(p, tile.number);
  const Image reference_pixels = reference_image(p);
  const Image target_pixels = target_image(p);
  const int block_words = (p.size + 3) / 4;
  const int area_words = block_words + BLOCK_X;
  const int pitch = area_pitch<PADDED>(p.size);
  unsigned* reference = words;
  unsigned* area = words + min(p.size, PART_ROWS) * block_words;
  Group group;
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
    for (int y = threadIdx.y; y < rows + ROWS * BLOCK_Y - 1; y += BLOCK_Y) {
#pragma unroll 1
      for (int x = threadIdx.x; x < area_words; x += BLOCK_X) {
        area[y * pitch + x] = target_pixels.four_pixels(area_x + 4 * x, area_y + y);
      }
    }
    __syncthreads();
    group.add_rows(reference, area + ROWS * threadIdx.y * pitch + threadIdx.x, pitch, p.size, rows);
  }

#pragma unroll
  for (int k = 0; k < 4 * ROWS; ++k) {
    const int j = tile.x + 4 * threadIdx.x + k % 4;
    const int i = tile.y + ROWS * threadIdx.y + k / 4;
    if (i >= p.search || j >= p.search) continue;
    const bool inside = block.stays_inside(p, p.first + j, p.first + i);
    scores_of(p, tile.number)[static_cast<long long>(i) * p.search + j] =
        inside ? group.sums[k / 4][k % 4] : no_score();
  }
}
