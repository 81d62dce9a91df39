// Idea: two pixels share one register. The sums need 12 bits and a sign, so that two of them fit in
//   a word. A bias keeps each half positive, so no borrow crosses between the halves, and one
//   addition adds both. Pixels 0 and 2 share a word, and 1 and 3 another, so that the neighbours of
//   one word's pixels are in the other word.
// Expected: half the additions up to dx and dy. Absolute values are computed for single halves: one
//   instruction subtracts the bias, takes the absolute value and adds it to the sum.
// Next limit: memory; after it the arithmetic, most of all the conversions to grey.
#include "dot_product_grey.cuh"
#include "rows.cuh"

static_assert(BLOCK_X % 32 == 0, "a warp lies in one row");

namespace warpwise::ladders {

/// Returns the third and fourth bytes of two grey_in_byte_2() results as the halves of a word.
__device__ inline unsigned halves(unsigned lower, unsigned upper) {
  return __byte_perm(lower, upper, 0x7632);
}

constexpr unsigned in_both = 0x00010001;
constexpr unsigned bias = 1024;  // above the largest |dx|, 1020

/// Computes min(|dx| + |dy|, 255) of one half.
__device__ inline unsigned magnitude(unsigned biased_dx, unsigned biased_dy) {
  return min(__usad(biased_dx, bias, __usad(biased_dy, bias, 0)), 255U);
}

}  // namespace warpwise::ladders

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using namespace warpwise::ladders;
  constexpr unsigned all_lanes = 0xffffffff;
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x) * 4;
  const int first = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
  const unsigned lane = threadIdx.x % 32;

  FourPixels pixels[ROWS + 2];
  unsigned outer[ROWS + 2] = {};
#pragma unroll
  for (int r = 0; r < ROWS + 2; ++r) {
    const unsigned* from = row_or_border(p, first - 1 + r);
    pixels[r] = load_four(p, from, x);
    if (lane == 0 || lane == 31) outer[r] = pixel_or_border(p, from, lane == 0 ? x - 1 : x + 4);
  }

  // [0] belongs to the pixels 0 and 2, [1] to the pixels 1 and 3.
  unsigned e_above[2] = {}, e_at[2] = {}, t_above[2] = {}, t_at[2] = {};
#pragma unroll
  for (int r = 0; r < ROWS + 2; ++r) {
    unsigned value[6];  // grey of the pixels x - 1 to x + 4
#pragma unroll
    for (int i = 0; i < 4; ++i) value[i + 1] = grey_in_byte_2(pixels[r].at[i]);
    const unsigned beside = grey_in_byte_2(outer[r]);
    value[0] = __shfl_up_sync(all_lanes, value[4], 1);
    value[5] = __shfl_down_sync(all_lanes, value[1], 1);
    if (lane == 0) value[0] = beside;
    if (lane == 31) value[5] = beside;

    unsigned pair[4];  // grey of the pixels i - 1 and i + 1
#pragma unroll
    for (int i = 0; i < 4; ++i) pair[i] = halves(value[i], value[i + 2]);
    unsigned results = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const unsigned e = pair[i + 2] + bias / 4 * in_both - pair[i];
      const unsigned t = pair[i] + 2 * pair[i + 1] + pair[i + 2];
      const unsigned dx = e_above[i] + 2 * e_at[i] + e;
      const unsigned dy = t + bias * in_both - t_above[i];
      results |= magnitude(dx & 0xffff, dy & 0xffff) << (8 * i);
      results |= magnitude(dx >> 16, dy >> 16) << (8 * i + 16);
      e_above[i] = e_at[i], e_at[i] = e;
      t_above[i] = t_at[i], t_at[i] = t;
    }
    const int y = first + r - 2;
    if (r >= 2 && y < p.height) store_four(p, x, y, results);
  }
}
