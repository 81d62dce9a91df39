// Idea: fewer conditions, as with FEWER_CONDITIONS in 01_global.cu. A warp tests once, not for each
//   row, if its pixels are aligned vectors inside the image. If so, a row's address is the last
//   address plus the pitch. All else is as in 14_packed_halves.cu.
// Expected: fewer instructions around each row of four pixels.
// Next limit: memory.
#include "dot_product_grey.cuh"
#include "rows.cuh"

static_assert(BLOCK_X % 32 == 0, "a warp lies in one row");

namespace warpwise::ladders {

__device__ inline unsigned halves(unsigned lower, unsigned upper) {
  return __byte_perm(lower, upper, 0x7632);
}

constexpr unsigned in_both = 0x00010001;
constexpr unsigned bias = 1024;

__device__ inline unsigned magnitude(unsigned biased_dx, unsigned biased_dy) {
  return min(__usad(biased_dx, bias, __usad(biased_dy, bias, 0)), 255U);
}

/// Returns true if the warp may access its vectors, their neighbours and its results untested.
__device__ inline bool is_plain(const SobelProblem& p, int x, int first) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int left = x - 4 * lane;
  return left > 0 && left + 4 * 32 < p.width && first > 0 && first + ROWS < p.height &&
         is_aligned(p.src, 16) && p.src_pitch % 4 == 0 && is_aligned(p.dst, 4) &&
         p.dst_pitch % 4 == 0;
}

template <bool plain>
__device__ void edges(const SobelProblem& p, int x, int first) {
  constexpr unsigned all_lanes = 0xffffffff;
  const unsigned lane = threadIdx.x % 32;
  FourPixels pixels[ROWS + 2];
  unsigned outer[ROWS + 2] = {};
  const unsigned* src = p.src + (first - 1) * p.src_pitch + x;  // dereferenced only if plain
#pragma unroll
  for (int r = 0; r < ROWS + 2; ++r) {
    if constexpr (plain) {
      const uint4 vector = *reinterpret_cast<const uint4*>(src);
      pixels[r] = {{vector.x, vector.y, vector.z, vector.w}};
      if (lane == 0 || lane == 31) outer[r] = lane == 0 ? src[-1] : src[4];
      src += p.src_pitch;
    } else {
      const unsigned* from = row_or_border(p, first - 1 + r);
      pixels[r] = load_four(p, from, x);
      if (lane == 0 || lane == 31) outer[r] = pixel_or_border(p, from, lane == 0 ? x - 1 : x + 4);
    }
  }

  // [0] belongs to the pixels 0 and 2, [1] to the pixels 1 and 3.
  unsigned e_above[2] = {}, e_at[2] = {}, t_above[2] = {}, t_at[2] = {};
  unsigned char* dst = p.dst + first * p.dst_pitch + x;
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
    if (r < 2) continue;
    if constexpr (plain) {
      *reinterpret_cast<unsigned*>(dst) = results;
      dst += p.dst_pitch;
    } else if (first + r - 2 < p.height) {
      store_four(p, x, first + r - 2, results);
    }
  }
}

}  // namespace warpwise::ladders

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using namespace warpwise::ladders;
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x) * 4;
  const int first = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
  // All lanes of a warp take the same branch, because the shuffles need all of them.
  if (is_plain(p, x, first))
    edges<true>(p, x, first);
  else
    edges<false>(p, x, first);
}
