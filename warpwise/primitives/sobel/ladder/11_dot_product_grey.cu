// Idea: the weighted sum of a pixel's bytes is a dot product of bytes, which is one instruction.
//   A weight has 15 bits: split as 128 high + low, it takes two of these instructions.
// Expected: two dot products, a multiply-add and a shift for a pixel instead of three extractions,
//   three multiply-adds and a shift.
// Next limit: latency: a row's loads must arrive before the next row's are issued.
#include "dot_product_grey.cuh"
#include "rows.cuh"

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
