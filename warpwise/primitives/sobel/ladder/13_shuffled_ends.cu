// Idea: the pixels on either side of a thread's four are the ends of its neighbours' four. A warp
//   lies in one row, so they are shuffled from the neighbouring lanes, grey already. Only the first
//   and the last lane load them.
// Expected: a row of four pixels takes two loads and two conversions less, and two shuffles more.
// Next limit: memory; after it the arithmetic, most of all the sums of single pixels.
#include "dot_product_grey.cuh"
#include "rows.cuh"

static_assert(BLOCK_X % 32 == 0, "a warp lies in one row");

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using namespace warpwise::ladders;
  constexpr unsigned all_lanes = 0xffffffff;
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x) * 4;
  const int first = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
  const unsigned lane = threadIdx.x % 32;

  // Lanes right of the image take part in the shuffles: they hold its last pixel.
  FourPixels pixels[ROWS + 2];
  unsigned outer[ROWS + 2] = {};  // in the first and last lane: the pixel beside the warp's pixels
#pragma unroll
  for (int r = 0; r < ROWS + 2; ++r) {
    const unsigned* from = row_or_border(p, first - 1 + r);
    pixels[r] = load_four(p, from, x);
    if (lane == 0 || lane == 31) outer[r] = pixel_or_border(p, from, lane == 0 ? x - 1 : x + 4);
  }

  int e_above[4] = {}, e_at[4] = {}, t_above[4] = {}, t_at[4] = {};
#pragma unroll
  for (int r = 0; r < ROWS + 2; ++r) {
    int value[6];  // grey of the pixels x - 1 to x + 4
#pragma unroll
    for (int i = 0; i < 4; ++i) value[i + 1] = grey(pixels[r].at[i]);
    const int beside = grey(outer[r]);
    value[0] = __shfl_up_sync(all_lanes, value[4], 1);
    value[5] = __shfl_down_sync(all_lanes, value[1], 1);
    if (lane == 0) value[0] = beside;
    if (lane == 31) value[5] = beside;

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
