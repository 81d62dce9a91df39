// Idea: a thread block keeps an image block, and the part of the target that its candidates need,
//   in shared memory, and reads each of these pixels from global memory once.
// Expected: global memory hardly moves more than the scores. Each pair of pixels still takes two
//   loads, a subtraction, an addition and its share of the loop.
//   A large block goes through shared memory in parts of PART_ROWS rows, so that every size fits.
//   In this rung and the next ones, the loops that fill shared memory are not unrolled, because the
//   addresses of several pixels would take more registers than the sums do.
// Next limit: instructions. UNROLL removes the loop's share: addresses become constants of the
//   instructions, and loads are issued ahead of the sums that need them, while registers last.
#include "argmin.cuh"
#include "tile.cuh"

using namespace warpwise::ladders;

constexpr int unrolled = UNROLL;
extern __shared__ unsigned char pixels[];

extern "C" __global__ void scores(MatchProblem p) {
  const Tile tile(p, BLOCK_X, BLOCK_Y);
  const Block block(p, tile.number);
  const Image reference_pixels = reference_image(p);
  const Image target_pixels = target_image(p);
  const int area_pitch = p.size + BLOCK_X - 1;
  unsigned char* reference = pixels;
  unsigned char* area = pixels + min(p.size, PART_ROWS) * p.size;
  const unsigned char* window = area + threadIdx.y * area_pitch + threadIdx.x;
  unsigned sum = 0;
  for (int part = 0; part < p.size; part += PART_ROWS) {
    const int rows = min(p.size - part, PART_ROWS);
    const long long area_x = block.x + p.first + tile.x;
    const long long area_y = block.y + p.first + tile.y + part;
    __syncthreads();  // waits until the part before has been summed
    for (int y = threadIdx.y; y < rows; y += BLOCK_Y) {
#pragma unroll 1
      for (int x = threadIdx.x; x < p.size; x += BLOCK_X) {
        reference[y * p.size + x] = reference_pixels.pixel(block.x + x, block.y + part + y);
      }
    }
    for (int y = threadIdx.y; y < rows + BLOCK_Y - 1; y += BLOCK_Y) {
#pragma unroll 1
      for (int x = threadIdx.x; x < area_pitch; x += BLOCK_X) {
        area[y * area_pitch + x] = target_pixels.pixel(area_x + x, area_y + y);
      }
    }
    __syncthreads();
    for (int y = 0; y < rows; ++y) {
      const unsigned char* a = reference + y * p.size;
      const unsigned char* b = window + y * area_pitch;
#pragma unroll unrolled
      for (int x = 0; x < p.size; ++x) sum += abs(a[x] - b[x]);
    }
  }

  const int j = tile.x + threadIdx.x;
  const int i = tile.y + threadIdx.y;
  if (i >= p.search || j >= p.search) return;
  const bool inside = block.stays_inside(p, p.first + j, p.first + i);
  scores_of(p, tile.number)[static_cast<long long>(i) * p.search + j] = inside ? sum : no_score();
}
