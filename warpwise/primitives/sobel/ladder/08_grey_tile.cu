// Idea: a pixel is made grey once, on its way into the tile, which holds bytes. The tile is filled
//   as in 04_linear_refill.cu; with a constant width its index arithmetic is cheap.
// Expected: little more than one conversion for each pixel instead of eight, and a tile of a
//   quarter of the size: neighbouring lanes read bytes of the same words, without conflicts.
// Next limit: a barrier between loads and arithmetic, and eight byte reads from shared memory,
//   which take the same number of requests as words would.
#include "problem.hpp"
#include "warpwise/primitives/shared/pixel.hpp"

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  constexpr int pitch = BLOCK_X + 2;
  __shared__ unsigned char tile[pitch * (BLOCK_Y + 2)];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * BLOCK_X;
  const int top = static_cast<int>(blockIdx.y) * BLOCK_Y;

  for (int n = ty * BLOCK_X + tx; n < pitch * (BLOCK_Y + 2); n += BLOCK_X * BLOCK_Y) {
    const int x = min(max(left - 1 + n % pitch, 0), p.width - 1);
    const int y = min(max(top - 1 + n / pitch, 0), p.height - 1);
    const unsigned pixel = p.src[y * p.src_pitch + x];
    tile[n] = static_cast<unsigned char>(
        warpwise::opencv_grey(pixel & 0xff, pixel >> 8 & 0xff, pixel >> 16 & 0xff));
  }
  __syncthreads();

  const int x = left + tx;
  const int y = top + ty;
  if (x >= p.width || y >= p.height) return;  // no barrier follows
  const unsigned char* above = tile + ty * pitch + tx;
  const unsigned char* at = above + pitch;
  const unsigned char* below = at + pitch;
  const int dx = (above[2] - above[0]) + 2 * (at[2] - at[0]) + (below[2] - below[0]);
  const int dy = (below[0] + 2 * below[1] + below[2]) - (above[0] + 2 * above[1] + above[2]);
  p.dst[y * p.dst_pitch + x] = static_cast<unsigned char>(min(abs(dx) + abs(dy), 255));
}
