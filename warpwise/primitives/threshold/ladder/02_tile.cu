// Idea: the block copies its pixels and a halo of `half` on each side to shared memory and adds up
//   its windows there. The tile's size is given at launch, so that the window may have any size. A
//   tile beyond TILE_BYTES is processed in horizontal strips, one after the other. TILE_BYTES is
//   small enough that blocks of 128 threads reach full occupancy on every SM since CC 7.0.
// Expected: the border is clamped once for each pixel of the tile, not for each pixel of every
//   window. Reads of windows go to shared memory, whose latency is known.
// Next limit: still window² reads and additions for each pixel, and a tile that is mostly halo.
#include "problem.hpp"

extern __shared__ unsigned char tile[];

extern "C" __global__ void threshold(warpwise::ladders::ThresholdProblem p) {
  const int window = 2 * p.half + 1;
  const int tile_width = BLOCK_X + 2 * p.half;
  const int tile_height = BLOCK_Y + 2 * p.half;
  const int strip_height = min(tile_height, TILE_BYTES / tile_width);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * BLOCK_X - p.half;

  // The block stays together to the end: all its threads copy, even threads beyond the image.
  for (int top = static_cast<int>(blockIdx.y) * BLOCK_Y - p.half; top + p.half < p.height;
       top += static_cast<int>(gridDim.y) * BLOCK_Y) {
    int sum = 0;
    for (int strip = 0; strip < tile_height; strip += strip_height) {
      const int rows = min(strip_height, tile_height - strip);
      for (int j = ty; j < rows; j += BLOCK_Y) {
        const long long y = warpwise::ladders::clamped(top + strip + j, p.height);
        for (int i = tx; i < tile_width; i += BLOCK_X) {
          const int x = warpwise::ladders::clamped(left + i, p.width);
          tile[j * tile_width + i] = p.src[y * p.src_pitch + x];
        }
      }
      __syncthreads();
      // The window's rows ty … ty + window - 1 of the tile, as far as they are in this strip.
      const int first = max(ty - strip, 0);
      const int last = min(ty + window - strip, rows);
      for (int j = first; j < last; ++j) {
        for (int i = tx; i < tx + window; ++i) sum += tile[j * tile_width + i];
      }
      __syncthreads();  // waits before the next strip overwrites the tile
    }
    const int x = left + p.half + tx;
    const int y = top + p.half + ty;
    if (x < p.width && y < p.height) {
      const int pixel = p.src[y * p.src_pitch + x];
      p.dst[y * p.dst_pitch + x] = warpwise::ladders::level(p, pixel, sum);
    }
  }
}
