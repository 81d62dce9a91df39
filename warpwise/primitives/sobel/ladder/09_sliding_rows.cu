// Idea: both filters are products of a row and a column. A thread goes down ROWS pixels of its
//   column. In each row it computes the difference e = right - left and the sum t = left +
//   2 middle + right. A result needs e and t of three rows, which are in registers, not in shared
//   memory.
// Expected: three reads and conversions for each pixel and no barrier; the neighbours' reads of the
//   same pixels hit the L1 cache. Fewer threads, each with more work.
// Next limit: the number of requests: each loads one pixel or stores one byte.
#include "problem.hpp"
#include "warpwise/primitives/shared/pixel.hpp"

namespace warpwise::ladders {

__device__ inline int grey_at(const SobelProblem& p, int x, int y) {
  const unsigned pixel = p.src[y * p.src_pitch + x];
  return opencv_grey(pixel & 0xff, pixel >> 8 & 0xff, pixel >> 16 & 0xff);
}

}  // namespace warpwise::ladders

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using warpwise::ladders::grey_at;
  const int x = static_cast<int>(blockIdx.x) * BLOCK_X + static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
  if (x >= p.width) return;  // no barrier follows
  const int to_left = max(x - 1, 0), to_right = min(x + 1, p.width - 1);
  const int last = min(first + ROWS, p.height);

  int e_above = 0, e_at = 0, t_above = 0, t_at = 0;
#pragma unroll 1
  for (int row = first - 1; row <= last; ++row) {
    const int from = min(max(row, 0), p.height - 1);
    const int left = grey_at(p, to_left, from), right = grey_at(p, to_right, from);
    const int e = right - left;
    const int t = left + 2 * grey_at(p, x, from) + right;
    if (row > first) {
      const int dx = e_above + 2 * e_at + e;
      const int dy = t - t_above;
      p.dst[(row - 1) * p.dst_pitch + x] = static_cast<unsigned char>(min(abs(dx) + abs(dy), 255));
    }
    e_above = e_at, e_at = e;
    t_above = t_at, t_at = t;
  }
}
