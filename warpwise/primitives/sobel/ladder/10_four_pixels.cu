// Idea: a thread computes four adjacent pixels. It loads them as one vector, stores them as one
//   word, and reads only the two neighbours at the ends separately.
// Expected: for four pixels, an image row needs three loads instead of twelve and six conversions
//   instead of twelve. A quarter of the stores remains. Rows that are not aligned to 16 bytes, and
//   the image's right end, are read pixel by pixel.
// Next limit: the conversions to grey, which take three multiplications for each pixel.
#include "rows.cuh"
#include "warpwise/primitives/shared/pixel.hpp"

namespace warpwise::ladders {

__device__ inline int grey(unsigned pixel) {
  return opencv_grey(pixel & 0xff, pixel >> 8 & 0xff, pixel >> 16 & 0xff);
}

}  // namespace warpwise::ladders

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using namespace warpwise::ladders;
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x) * 4;
  const int first = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
  if (x >= p.width) return;  // no barrier follows
  const int last = min(first + ROWS, p.height);

  int e_above[4] = {}, e_at[4] = {}, t_above[4] = {}, t_at[4] = {};
#pragma unroll 1
  for (int row = first - 1; row <= last; ++row) {
    const unsigned* from = row_or_border(p, row);
    const FourPixels pixels = load_four(p, from, x);
    int value[6];  // grey of the pixels x - 1 to x + 4
    value[0] = grey(pixel_or_border(p, from, x - 1));
#pragma unroll
    for (int i = 0; i < 4; ++i) value[i + 1] = grey(pixels.at[i]);
    value[5] = grey(pixel_or_border(p, from, x + 4));

    unsigned results = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int e = value[i + 2] - value[i];
      const int t = value[i] + 2 * value[i + 1] + value[i + 2];
      const int dx = e_above[i] + 2 * e_at[i] + e;
      const int dy = t - t_above[i];
      results |= static_cast<unsigned>(min(abs(dx) + abs(dy), 255)) << (8 * i);
      e_above[i] = e_at[i], e_at[i] = e;
      t_above[i] = t_at[i], t_at[i] = t;
    }
    if (row > first) store_four(p, x, row - 1, results);
  }
}
