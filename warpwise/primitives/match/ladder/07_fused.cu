// Idea: a single kernel. A thread block scores all candidates of its image block and finds the
//   best of them in registers. Only the best score goes to memory.
// Expected: the scores are no longer written and read, and the second kernel is not needed.
// Next limit: filling shared memory, because a word takes four byte loads. With WORD_LOADS it
//   takes two loads of aligned words and a shift, where both words lie inside the image. The
//   limit is then the rate of the packed differences.
#include "group.cuh"

using namespace warpwise::ladders;

extern __shared__ unsigned words[];

/// Returns pixels x to x + 3, from the two aligned words around them if both lie inside the row.
__device__ unsigned four_pixels(const Image& image, long long x, long long y) {
  if (!WORD_LOADS || x < 3 || x + 7 > image.width) return image.four_pixels(x, y);
  const auto address = reinterpret_cast<unsigned long long>(image.row(y) + x);
  const auto* aligned = reinterpret_cast<const unsigned*>(address & ~3ull);
  const unsigned shift = static_cast<unsigned>(address & 3) * 8;
  return shift == 0 ? aligned[0] : __funnelshift_r(aligned[0], aligned[1], shift);
}

/// Returns the best of all threads' candidates, in the first thread.
__device__ Best best_of_all(Best best) {
  constexpr int warps = BLOCK_X * BLOCK_Y / 32;
  __shared__ Score scores[warps];
  __shared__ unsigned places[warps];
  const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  best = best_of_warp(best);
  if (thread % 32 == 0) {
    scores[thread / 32] = best.score;
    places[thread / 32] = best.place;
  }
  __syncthreads();
  for (int warp = 1; warp < warps; ++warp) best.offer(scores[warp], places[warp]);
  return best;
}

extern "C" __global__ void match(MatchProblem p) {
  const Block block(p, blockIdx.x);
  const Image reference_pixels = reference_image(p);
  const Image target_pixels = target_image(p);
  const int block_words = (p.size + 3) / 4;
  const int area_words = block_words + BLOCK_X;
  const int pitch = area_pitch<true>(p.size);
  unsigned* reference = words;
  unsigned* area = words + min(p.size, PART_ROWS) * block_words;
  Best best;
  for (int tile_y = 0; tile_y < p.search; tile_y += ROWS * BLOCK_Y) {
    for (int tile_x = 0; tile_x < p.search; tile_x += 4 * BLOCK_X) {
      Group group;
      for (int part = 0; part < p.size; part += PART_ROWS) {
        const int rows = min(p.size - part, PART_ROWS);
        const long long area_x = block.x + p.first + tile_x;
        const long long area_y = block.y + p.first + tile_y + part;
        __syncthreads();  // waits until the part before has been summed
        for (int y = threadIdx.y; y < rows; y += BLOCK_Y) {
#pragma unroll 1
          for (int x = threadIdx.x; x < block_words; x += BLOCK_X) {
            reference[y * block_words + x] =
                four_pixels(reference_pixels, block.x + 4 * x, block.y + part + y);
          }
        }
        for (int y = threadIdx.y; y < rows + ROWS * BLOCK_Y - 1; y += BLOCK_Y) {
#pragma unroll 1
          for (int x = threadIdx.x; x < area_words; x += BLOCK_X) {
            area[y * pitch + x] = four_pixels(target_pixels, area_x + 4 * x, area_y + y);
          }
        }
        __syncthreads();
        group.add_rows(reference, area + ROWS * threadIdx.y * pitch + threadIdx.x, pitch, p.size,
                       rows);
      }
#pragma unroll
      for (int k = 0; k < 4 * ROWS; ++k) {
        const int j = tile_x + 4 * threadIdx.x + k % 4;
        const int i = tile_y + ROWS * threadIdx.y + k / 4;
        if (i < p.search && j < p.search && block.stays_inside(p, p.first + j, p.first + i)) {
          best.offer(group.sums[k / 4][k % 4], static_cast<unsigned>(i) * p.search + j);
        }
      }
    }
  }
  best = best_of_all(best);
  if (threadIdx.x == 0 && threadIdx.y == 0) best.store(p, blockIdx.x);
}
