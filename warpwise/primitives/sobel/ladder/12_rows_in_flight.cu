// Idea: a thread loads its part of all the rows that it needs before it uses the first. The loop
//   over them is unrolled, because the number of rows is a constant.
// Expected: each thread has ROWS + 2 vector loads in flight instead of one, so it waits for the
//   memory's latency only once. The price is registers, so ROWS is small, and the image is read
//   (ROWS + 2) / ROWS times.
// Next limit: memory.
#include "dot_product_grey.cuh"
#include "rows.cuh"

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using namespace warpwise::ladders;
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x) * 4;
  const int first = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
  if (x >= p.width) return;  // no barrier follows

  FourPixels pixels[ROWS + 2];
  unsigned left[ROWS + 2], right[ROWS + 2];
#pragma unroll
  for (int r = 0; r < ROWS + 2; ++r) {
    const unsigned* from = row_or_border(p, first - 1 + r);
    pixels[r] = load_four(p, from, x);
    left[r] = pixel_or_border(p, from, x - 1);
    right[r] = pixel_or_border(p, from, x + 4);
  }

  int e_above[4] = {}, e_at[4] = {}, t_above[4] = {}, t_at[4] = {};
#pragma unroll
  for (int r = 0; r < ROWS + 2; ++r) {
    int value[6];  // grey of the pixels x - 1 to x + 4
    value[0] = grey(left[r]);
#pragma unroll
    for (int i = 0; i < 4; ++i) value[i + 1] = grey(pixels[r].at[i]);
    value[5] = grey(right[r]);

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
    const int y = first + r - 2;
    if (r >= 2 && y < p.height) store_four(p, x, y, results);
  }
}
