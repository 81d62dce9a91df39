#pragma once

#include "warpwise/primitives/threshold/band_rows.cuh"

// Pixels whose Gaussian mean is too near to where their result turns over for sums of integers to
// decide: their means are added up in floats, as every backend does it. Fit for nvcc and NVRTC: no
// host headers.
namespace warpwise::kernels::threshold {

/// Which of 16 columns or rows is row `row` of 8 of half `half` of a product: of rows 2 t and
/// 2 t + 1 of both halves, which are a lane's, all are among 4 t … 4 t + 3. The halves change
/// places in between, so that 8 rows of one half lie in as many banks.
__device__ inline int weighed_place(int row, int half) {
  return row / 2 * 4 + (half ^ row / 4) * 2 + row % 2;
}

/// A pixel's result by the mean of what has been weighed along rows, `columns` of each.
template <int columns>
__device__ void decide_settled(const GaussianProductArguments& a, const float* centre, int x,
                               int y) {
  float sum[1];
  weigh(a.weights, a.half, [&](int k) { return centre[k * columns]; }, sum);
  decide_weighed<unsigned char>(a, x, y, sum[0]);
}

/// Decides columns × rows pixels from (x, y) on, of which some may lie beyond the image or in row
/// `end` and below. Called by a warp; `sums` holds `columns` floats of each row of the windows.
template <int columns, int rows>
__device__ void settle(const GaussianProductArguments& a, float* sums, int x, int y, int end) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int width = static_cast<int>(a.src.width);
#pragma unroll 1
  for (int r = lane; r < rows + 2 * a.half; r += 32) {
    const unsigned char* const row =
        a.src.data + clamp_index(y - a.half + r, a.src.height) * a.src.pitch;
    float sum[columns];
    weigh(
        a.weights, a.half,
        [&](int i) { return static_cast<float>(row[min(max(x + i, 0), width - 1)]); }, sum);
#pragma unroll
    for (int k = 0; k < columns; ++k) sums[r * columns + k] = sum[k];
  }
  __syncwarp();
#pragma unroll 1
  for (int i = lane; i < columns * rows; i += 32) {
    const int to_x = x + i % columns;
    const int to_y = y + i / columns;
    if (to_x < 0 || to_x >= width || to_y >= end) continue;
    decide_settled<columns>(a, sums + a.half * columns + i, to_x, to_y);
  }
  __syncwarp();  // the sums may be replaced
}

/// The mean of a row's pixels around x. Words, since each access of lanes that read rows of their
/// own takes as many lines; what these words have beyond the window weighs nothing, and adding 0
/// leaves a sum's bits as they are.
__device__ inline float weigh_pixels(const GaussianProductArguments& a, const unsigned char* row,
                                     int x) {
  const int width = static_cast<int>(a.src.width);
  float sum[1];
  if (x - a.half < 7 || x + a.half + 7 >= width) {
    weigh(
        a.weights, a.half,
        [&](int i) { return static_cast<float>(row[min(max(x + i, 0), width - 1)]); }, sum);
    return sum[0];
  }
  const auto address = reinterpret_cast<cuda::std::uintptr_t>(row + x);
  const auto whole_word = [](cuda::std::uintptr_t at) {
    return reinterpret_cast<const unsigned*>(at & ~cuda::std::uintptr_t{3});
  };
  const unsigned* below = whole_word(address - 4);
  const unsigned* above = whole_word(address + 1);
  const unsigned shift_below = static_cast<unsigned>(address & 3) * 8;
  const unsigned shift_above = static_cast<unsigned>((address + 1) & 3) * 8;
  unsigned last_below = below[1];
  unsigned last_above = above[0];
  sum[0] = __fmul_rn(a.weights[0], static_cast<float>(row[x]));
#pragma unroll 4
  for (int i = 1; i <= a.half; i += 4) {
    const unsigned next_below = *below--;
    const unsigned next_above = *++above;
    const unsigned four_below = __funnelshift_r(next_below, last_below, shift_below);
    const unsigned four_above = __funnelshift_r(last_above, next_above, shift_above);
    last_below = next_below;
    last_above = next_above;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float pair = __fadd_rn(static_cast<float>(four_below >> (24 - 8 * k) & 255),
                                   static_cast<float>(four_above >> 8 * k & 255));
      sum[0] = __fadd_rn(sum[0], __fmul_rn(a.weights[i + k], pair));
    }
  }
  return sum[0];
}

/// The pixels that a block could not decide, in shared memory.
template <int groups>
struct Doubts {
  static constexpr int columns = 4;  ///< that settle() takes at once of a tile
  static constexpr int warp_sums = columns * 16 * groups;
  float sums[threshold_warps * warp_sums];
  int2 places[threshold_doubts];
  int count;    ///< of these, or more than fit
  int many[2];  ///< whether they are to be settled, by turns

  /// Keeps those of a warp's 16×16 pixels whose excess is doubtful, or settles the whole tile where
  /// that is less work or they do not fit. Called by a warp.
  __device__ void add(const GaussianProductArguments& a, const unsigned (&excess)[2][4], int tile,
                      int y, int end) {
    // What a row of a window costs a lane is the same for four pixels in it as for one.
    constexpr int most_apart = 8;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int width = static_cast<int>(a.src.width);
    const auto place = [&](int i) {
      return make_int2(tile + weighed_place(lane % 4 * 2 + i % 2, i / 2 % 2),
                       y + weighed_place(lane / 4, i / 4));
    };
    unsigned votes[8];
    int found = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int2 at = place(i);
      votes[i] = __ballot_sync(
          ~0U, excess[i / 4][i % 4] <= a.doubt && at.x >= 0 && at.x < width && at.y < end);
      found += __popc(votes[i]);
    }
    int kept = threshold_doubts;
    if (found <= most_apart) {
      if (lane == 0) kept = atomicAdd(&count, found);
      kept = __shfl_sync(~0U, kept, 0);
#pragma unroll
      for (int i = 0, next = kept; i < 8; ++i) {
        const int to = next + __popc(votes[i] & ((1U << lane) - 1));
        if ((votes[i] >> lane & 1) != 0 && to < threshold_doubts) places[to] = place(i);
        next += __popc(votes[i]);
      }
    }
    if (kept + found <= threshold_doubts) return;
    float* const own_sums = sums + threadIdx.x / 32 * warp_sums;
#pragma unroll 1
    for (int x = tile; x < tile + 16; x += columns) settle<columns, 16>(a, own_sums, x, y, end);
  }

  /// Settles the pixels that are kept before they fill their memory. Called by the whole block
  /// behind each barrier, with `turn` 0 and 1 by turns: what thread 0 finds behind one of them the
  /// others read behind the next.
  __device__ void settle_many(const GaussianProductArguments& a, int turn) {
    if (many[turn] != 0) settle_kept(a);
    if (threadIdx.x == 0) many[turn ^ 1] = atomicAdd(&count, 0) >= threshold_doubts / 4 ? 1 : 0;
  }

  /// Settles the pixels that are kept: a thread weighs a row of a window, then a window. Called by
  /// the whole block.
  __device__ void settle_kept(const GaussianProductArguments& a) {
    const int window = 2 * a.half + 1;
    const int thread = static_cast<int>(threadIdx.x);
    __syncthreads();
    const int all = min(count, threshold_doubts);
    const int at_once = threshold_warps * warp_sums / window;
#pragma unroll 1
    for (int first = 0; first < all; first += at_once) {
      const int some = min(at_once, all - first);
#pragma unroll 1
      for (int i = thread; i < some * window; i += threshold_block_threads) {
        const int2 at = places[first + i / window];
        const int64_t y = clamp_index(at.y - a.half + i % window, a.src.height);
        sums[i] = weigh_pixels(a, a.src.data + y * a.src.pitch, at.x);
      }
      __syncthreads();
      if (thread == 0) count = 0;  // which all have read
#pragma unroll 1
      for (int i = thread; i < some; i += threshold_block_threads) {
        const int2 at = places[first + i];
        decide_settled<1>(a, sums + i * window + a.half, at.x, at.y);
      }
      __syncthreads();
    }
  }
};

static_assert(sizeof(Doubts<2>) == threshold_doubt_bytes(2) &&
              sizeof(Doubts<8>) == threshold_doubt_bytes(8));

}  // namespace warpwise::kernels::threshold
