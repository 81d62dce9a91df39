#pragma once

#include "warpwise/primitives/threshold/band_rows.cuh"
#include "warpwise/primitives/threshold/gaussian.cuh"

// Settles pixels whose Gaussian mean is too near to the limit for sums of integers. Their means are
// added up in floats, as on every backend. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::threshold {

/// Maps a row or column of a matrix product to its place in the tile, 0 to 15. `row` is 0 to 7, in
/// half 0 or 1. A lane with t = lane % 4 computes rows 2 t and 2 t + 1 of both halves. Their places
/// are 4 t … 4 t + 3, the rows that the lane has as operands of the next product. From row 4 on the
/// halves are exchanged, so that the 8 rows of a half use 8 different banks.
__device__ inline int weighed_place(int row, int half) {
  return row / 2 * 4 + (half ^ row / 4) * 2 + row % 2;
}

/// Decides a pixel from its window's row means, `columns` apart; `centre` is its own row's mean.
template <int columns>
__device__ void decide_settled(const GaussianProductArguments& a, const float* centre, int x,
                               int y) {
  float sum[1];
  weigh(a.weights, a.half, [&](int k) { return centre[k * columns]; }, sum);
  decide_weighed<unsigned char>(a, x, y, sum[0]);
}

/// Returns 16 pixels of a row from `at` on, which is a multiple of 16 in memory. Pixels beyond the
/// row are copies of the edge pixel. Smaller loads would touch the same number of cache lines,
/// because lanes read different rows.
__device__ inline uint4 sixteen_pixels(const unsigned char* row, int at, int width) {
  if (at >= 0 && at + 16 <= width) return *reinterpret_cast<const uint4*>(row + at);
  unsigned words[4] = {};
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    words[i / 4] |= unsigned{row[min(max(at + i, 0), width - 1)]} << 8 * (i % 4);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// Sets `words` to 16 of the 32 bytes of `low` and `high`, from byte `at` on.
__device__ inline void sixteen_of(const uint4& low, const uint4& high, int at,
                                  unsigned (&words)[4]) {
  unsigned all[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) all[i] = (at & 8) != 0 ? all[i + 2] : all[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) all[i] = (at & 4) != 0 ? all[i + 1] : all[i];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    words[i] = __funnelshift_r(all[i], all[i + 1], static_cast<unsigned>(at & 3) * 8);
  }
}

/// Returns the mean of a row's pixels around x. The last 16 bytes may extend beyond the window: the
/// weights there are 0, and adding 0 leaves a sum's bits unchanged.
__device__ inline float weigh_pixels(const GaussianProductArguments& a, const unsigned char* row,
                                     int x) {
  const int width = static_cast<int>(a.src.width);
  const auto address = reinterpret_cast<cuda::std::uintptr_t>(row + x);
  const int below_at = static_cast<int>(address & 15);  // place of pixel x in its 16 bytes
  const int above_at = static_cast<int>((address + 1) & 15);
  int below = x - below_at;
  int above = x + 1 - above_at;
  uint4 last_below = sixteen_pixels(row, below, width);
  uint4 last_above = sixteen_pixels(row, above, width);
  uint4 next_below = sixteen_pixels(row, below - 16, width);
  uint4 next_above = sixteen_pixels(row, above + 16, width);
  float sum = __fmul_rn(a.weights[0], static_cast<float>(row[x]));
#pragma unroll 1
  for (int first = 1; first <= a.half; first += 16) {
    // The pixels of the next iteration are in flight during this one.
    below -= 16;
    above += 16;
    uint4 ahead_below = {};
    uint4 ahead_above = {};
    if (first + 16 <= a.half) {
      ahead_below = sixteen_pixels(row, below - 16, width);
      ahead_above = sixteen_pixels(row, above + 16, width);
    }
    unsigned words_below[4];
    unsigned words_above[4];
    sixteen_of(next_below, last_below, below_at, words_below);
    sixteen_of(last_above, next_above, above_at, words_above);
    last_below = next_below;
    last_above = next_above;
    next_below = ahead_below;
    next_above = ahead_above;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (first + 4 * j > a.half) break;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float pair = __fadd_rn(static_cast<float>(words_below[3 - j] >> (24 - 8 * k) & 255),
                                     static_cast<float>(words_above[j] >> 8 * k & 255));
        sum = __fadd_rn(sum, __fmul_rn(a.weights[first + 4 * j + k], pair));
      }
    }
  }
  return sum;
}

/// Pixels that a block could not decide, in shared memory: single pixels, and stretches, which are
/// rows of a tile with many such pixels. A tile is 16 columns wide.
template <int groups>
struct Doubts {
  static constexpr int tiles = threshold_product_tiles<groups>;
  static constexpr int columns = 16;
  static constexpr int sum_rows = threshold_settled_rows(groups);
  struct Stretch {
    int y;
    int rows;
  };
  /// A warp's own record of the doubts that it has kept.
  struct Kept {
    int first_row = 1 << 30;  ///< first row of the warp's stretches
    bool many = false;        ///< the block has kept many single pixels
  };
  float sums[columns * sum_rows];
  int2 places[threshold_doubts];
  Stretch stretches[threshold_warps * tiles];
  int count;  ///< number of single doubtful pixels; may exceed the size of `places`

  /// Discards all doubts. Called by the whole block, between barriers.
  __device__ void clear() {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < threshold_warps * tiles) stretches[thread].rows = 0;
    if (thread == 0) count = 0;
  }

  /// Keeps the doubtful pixels among a tile's 16 rows from y on; or the rows, as part of a stretch,
  /// if that is less work or the pixels do not fit. Called by the tile's warp.
  ///
  /// \param tile  index of the tile in the block, from the left
  /// \param own   the warp's record since doubts were settled last
  __device__ void add(const GaussianProductArguments& a, const unsigned (&excess)[2][4], int tile,
                      int x, int y, int end, Kept& own) {
    constexpr int most_apart = 8;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int width = static_cast<int>(a.src.width);
    const auto place = [&](int i) {
      return make_int2(x + weighed_place(lane % 4 * 2 + i % 2, i / 2 % 2),
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
      own.many |= kept + found >= threshold_doubts / 4;
    }
    if (kept + found <= threshold_doubts) return;
    own.first_row = min(own.first_row, y);
    if (lane != 0) return;
    Stretch& stretch = stretches[tile];
    if (stretch.rows == 0) stretch.y = y;
    stretch.rows = y + threshold_band_rows - stretch.y;
  }

  /// Returns true if doubts must be settled before the warp computes the rows up to `end`. Either
  /// many single pixels are kept, or a stretch could need more row means than `sums` holds.
  __device__ static bool is_full(const GaussianProductArguments& a, const Kept& own, int end) {
    return own.many || end - own.first_row > sum_rows - 2 * a.half;
  }

  /// Decides all pixels that are kept. Called by the whole block.
  __device__ void settle(const GaussianProductArguments& a, int strip, int end) {
    __syncthreads();
    settle_places(a, min(count, threshold_doubts));
#pragma unroll 1
    for (int tile = 0; tile < threshold_warps * tiles; ++tile) {
      const Stretch stretch = stretches[tile];
      if (stretch.rows > 0) settle_stretch(a, strip + columns * tile, stretch, end);
    }
    __syncthreads();
    clear();
    __syncthreads();
  }

 private:
  /// Decides `all` single pixels from the means along their windows' rows, computed before.
  __device__ void settle_places(const GaussianProductArguments& a, int all) {
    const int window = 2 * a.half + 1;
    const int thread = static_cast<int>(threadIdx.x);
    const int at_once = columns * sum_rows / window;
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
#pragma unroll 1
      for (int i = thread; i < some; i += threshold_block_threads) {
        const int2 at = places[first + i];
        decide_settled<1>(a, sums + i * window + a.half, at.x, at.y);
      }
      __syncthreads();
    }
  }

  /// Decides a stretch. First computes the means along its windows' rows, four neighbours a thread,
  /// then the means of whole windows. Skips pixels beyond the image and from row `end` on.
  __device__ void settle_stretch(const GaussianProductArguments& a, int x, Stretch stretch,
                                 int end) {
    constexpr int n = 4;
    const int thread = static_cast<int>(threadIdx.x);
    const int width = static_cast<int>(a.src.width);
    const bool inside = x - a.half >= 0 && x + columns + a.half <= width;
#pragma unroll 1
    for (int i = thread; i < (stretch.rows + 2 * a.half) * columns / n;
         i += threshold_block_threads) {
      const int first = x + i % (columns / n) * n;
      const int64_t y = clamp_index(stretch.y - a.half + i / (columns / n), a.src.height);
      const unsigned char* const row = a.src.data + y * a.src.pitch;
      float sum[n];
      if (inside) {
        const unsigned char* const from = row + first;
        weigh(a.weights, a.half, [&](int k) { return static_cast<float>(from[k]); }, sum);
      } else {
        weigh(
            a.weights, a.half,
            [&](int k) { return static_cast<float>(row[min(max(first + k, 0), width - 1)]); }, sum);
      }
      reinterpret_cast<float4*>(sums)[i] = {sum[0], sum[1], sum[2], sum[3]};
    }
    __syncthreads();
#pragma unroll 1
    for (int i = thread; i < stretch.rows * columns; i += threshold_block_threads) {
      const int to_x = x + i % columns;
      const int to_y = stretch.y + i / columns;
      if (to_x < 0 || to_x >= width || to_y >= end) continue;
      decide_settled<columns>(a, sums + a.half * columns + i, to_x, to_y);
    }
    __syncthreads();
  }
};

static_assert(sizeof(Doubts<2>) <= threshold_doubt_bytes(2) &&
              sizeof(Doubts<8>) <= threshold_doubt_bytes(8));

}  // namespace warpwise::kernels::threshold
