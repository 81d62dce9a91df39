#pragma once

#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/shared/matrix_units.cuh"
#include "warpwise/primitives/threshold/gaussian_rows.cuh"
#include "warpwise/primitives/threshold/gaussian_settle.cuh"

// The Gaussian threshold of u8 for windows whose weights fit a warp's registers, without scratch
// memory. Fit for nvcc and NVRTC: no host headers.
//
// threshold() promises a mean summed in floats in a fixed order, but the kernel outputs only its
// comparison with the pixel. The matrix units therefore compute the mean in integers, at a bounded
// distance from the floats' mean (gaussian_launch.hpp). The integers decide each pixel whose
// margin exceeds this bound. The other means are added up in floats (gaussian_settle.cuh).
//
// Weights have 16 bits; means along rows have 16 bits too, 8 of them after the binary point. Each
// is stored as two bytes, so a weight times a mean is four products of bytes. A warp goes down
// tiles of 16 columns, 16 rows at a time. Its registers hold the weights as a Toeplitz matrix W.
// The first product, W times the pixels of 16 rows, gives a tile's 16 × 16 means along rows. The
// second product, W times these means, gives the means of the windows. weighed_place() orders the
// first product's columns as the second's rows, so a lane's results become its operands.
namespace warpwise::kernels::threshold {

/// A lane's part of the Toeplitz matrix of 16 rows by 16 * groups columns. Row m has the weights of
/// the pixels around place m, split into high and low bytes.
template <int groups>
struct WeightMatrix {
  static constexpr int pairs = (groups + 1) / 2;
  MatrixPair high[pairs];
  MatrixPair low[pairs];

  static constexpr int table_bytes = 16 * groups + 16;

  /// Fills the matrix. Called by the whole block; `table` holds twice table_bytes.
  __device__ void make(const GaussianProductArguments& a, unsigned char* table) {
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < table_bytes; i += threshold_block_threads) {
      const int distance = abs(i - 15 - a.reach);
      const unsigned weight =
          distance <= a.half
              ? __float2uint_rn(a.weights[distance] * static_cast<float>(256 << a.cut))
              : 0;
      table[i] = static_cast<unsigned char>(weight >> 8);
      table[table_bytes + i] = static_cast<unsigned char>(weight);
    }
    __syncthreads();
    const int lane = thread % 32;
    const auto load = [&](int group, int half, unsigned& of_high, unsigned& of_low) {
      of_high = of_low = 0;
      if (group >= groups) return;
      const int at = 16 * group + lane % 4 * 4 + 15 - weighed_place(lane / 4, half);
      const auto* const words = reinterpret_cast<const unsigned*>(table + at / 4 * 4);
      const unsigned shift = static_cast<unsigned>(at % 4) * 8;
      of_high = __funnelshift_r(words[0], words[1], shift);
      of_low = __funnelshift_r(words[table_bytes / 4], words[table_bytes / 4 + 1], shift);
    };
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      load(2 * p, 0, high[p].upper_near, low[p].upper_near);
      load(2 * p, 1, high[p].lower_near, low[p].lower_near);
      load(2 * p + 1, 0, high[p].upper_far, low[p].upper_far);
      load(2 * p + 1, 1, high[p].lower_far, low[p].lower_far);
    }
  }

  /// Adds columns 32 p … 32 p + 31 of the weights times the same rows of b (8 columns wide) to
  /// `sums`. Callers alternate between two sums, because products into one sum wait for each other.
  __device__ static void add(MatrixSums& sums, const MatrixPair (&weights)[pairs],
                             const unsigned* b, int p) {
    if (2 * p + 1 < groups) {
      multiply_add(sums, weights[p], b[2 * p], b[2 * p + 1]);
    } else {
      multiply_add_near(sums, weights[p], b[2 * p]);
    }
  }
};

/// A lane's means along rows, for each group of 16 rows. The lane has a column in each half of the
/// tile: the high and the low bytes of its rows 4 t … 4 t + 3, where t = lane % 4.
template <int groups>
struct WeighedRows {
  unsigned high[2][groups];
  unsigned low[2][groups];
};

/// Selectors of permuted() that order a lane's four bytes by place. The lane has two bytes of half
/// 0 and two of half 1. Half 1 comes first in lanes whose t = lane % 4 is 2 or 3 (weighed_place()).
struct HalvesInOrder {
  unsigned low;     ///< selects the low two bytes of each of two words
  unsigned high;    ///< selects the high two bytes of each of two words
  unsigned within;  ///< selects all bytes of one word

  __device__ explicit HalvesInOrder(int t)
      : low(t < 2 ? 0x5410 : 0x1054), high(t < 2 ? 0x7632 : 0x3276),
        within(t < 2 ? 0x3210 : 0x1032) {}
};

/// Returns base + byte k of a word times a signed factor of 16 bits. The factor is the low half of
/// `factors`, or the high half for an odd k; the other half is 0.
__device__ inline unsigned plus_byte(unsigned base, unsigned word, int k, unsigned factors) {
  unsigned result;
  if (k < 2) {
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factors), "r"(word), "r"(base));
  } else {
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factors), "r"(word), "r"(base));
  }
  return result;
}

/// Computes the means of 16 columns along 16 rows from the pixels of both halves of the rows. These
/// means replace the means of the oldest rows.
template <int groups>
__device__ void weigh_along(const WeightMatrix<groups>& weights, const unsigned* const (&pixels)[2],
                            const HalvesInOrder& order, int cut, WeighedRows<groups>& rows) {
#pragma unroll
  for (int g = 0; g + 1 < groups; ++g) {
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      rows.high[m][g] = rows.high[m][g + 1];
      rows.low[m][g] = rows.low[m][g + 1];
    }
  }
  MatrixSums high[2] = {};
  MatrixSums low[2] = {};
#pragma unroll
  for (int p = 0; p < weights.pairs; ++p) {
#pragma unroll
    for (int b = 0; b < 2; ++b) {
      weights.add(high[b], weights.high, pixels[b], p);
      weights.add(low[b], weights.low, pixels[b], p);
    }
  }
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    unsigned pair[2];  // for each half: the low bytes of two means, then their high bytes
#pragma unroll
    for (int b = 0; b < 2; ++b) {
      const unsigned first = (high[b].at[2 * m] * 256 + low[b].at[2 * m]) >> cut;
      const unsigned second = (high[b].at[2 * m + 1] * 256 + low[b].at[2 * m + 1]) >> cut;
      pair[b] = permuted(first, second, 0x5140);
    }
    rows.low[m][groups - 1] = permuted(pair[0], pair[1], order.low);
    rows.high[m][groups - 1] = permuted(pair[0], pair[1], order.high);
  }
}

/// Computes the excesses of the lane's 8 pixels (GaussianProductArguments), without the products of
/// two low bytes. words[r] has the four pixels of the lane's row r, those of half 0 first.
/// excess[r][k] belongs to byte k of words[r].
template <int groups>
__device__ void weigh_down(const WeightMatrix<groups>& weights, const WeighedRows<groups>& rows,
                           const unsigned (&words)[2], const GaussianProductArguments& a,
                           unsigned (&excess)[2][4]) {
  MatrixSums high[2];
  MatrixSums low[2] = {};
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      high[m].at[i] = plus_byte(static_cast<unsigned>(a.bias), words[i / 2], 2 * m + i % 2,
                                i % 2 == 0 ? a.pixel_low : a.pixel_high);
    }
  }
#pragma unroll
  for (int p = 0; p < weights.pairs; ++p) {
#pragma unroll
    for (int m = 0; m < 2; ++m) weights.add(low[m], weights.high, rows.low[m], p);
#pragma unroll
    for (int m = 0; m < 2; ++m) weights.add(high[m], weights.high, rows.high[m], p);
#pragma unroll
    for (int m = 0; m < 2; ++m) weights.add(low[m], weights.low, rows.high[m], p);
  }
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      excess[i / 2][2 * m + i % 2] = high[m].at[i] * 256 + low[m].at[i];
    }
  }
}

/// Adds the products of two low bytes to each excess and subtracts their upper bound, `most`.
template <int groups>
__device__ void add_low_products(const WeightMatrix<groups>& weights,
                                 const WeighedRows<groups>& rows, unsigned most,
                                 unsigned (&excess)[2][4]) {
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    MatrixSums low = {};
#pragma unroll
    for (int p = 0; p < weights.pairs; ++p) weights.add(low, weights.low, rows.low[m], p);
#pragma unroll
    for (int i = 0; i < 4; ++i) excess[i / 2][2 * m + i % 2] += (low.at[i] >> 8) - most;
  }
}

__device__ inline unsigned least_of(const unsigned (&excess)[2][4]) {
  unsigned least = ~0U;
#pragma unroll
  for (int i = 0; i < 8; ++i) least = min(least, excess[i / 4][i % 4]);
  return least;
}

/// Writes a lane's words to its two rows of the tile that begins at row y, if they are above `end`.
__device__ inline void store_near_edge(const GaussianProductArguments& a, int x, int y, int row,
                                       int end, const unsigned (&words)[2]) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int to_y = y + weighed_place(row, r);
    if (to_y >= end) continue;
    unsigned char* const to = a.out.dst + to_y * a.out.dst_pitch;
    store_word(to, x, static_cast<int>(a.src.width), false, words[r]);
  }
}

/// Computes gaussian of u8 without the mean image. Grid: x covers the columns in strips, y strides
/// over segments of rows.
template <int groups>
__global__ void __launch_bounds__(threshold_block_threads, threshold_product_blocks)
    threshold_gaussian_products(GaussianProductArguments a) {
  extern __shared__ uint4 product_shared[];
  constexpr int rows = threshold_band_rows;
  constexpr int tiles = threshold_product_tiles<groups>;
  constexpr int steps = threshold_product_steps<groups>;
  auto* const shared = reinterpret_cast<unsigned char*>(product_shared);
  auto& doubts = *reinterpret_cast<Doubts<groups>*>(shared + a.ring_rows * a.pitch);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = lane / 4;
  const int t = lane % 4;
  const HalvesInOrder order(t);
  const int first_tile = a.first_column +
                         static_cast<int>(blockIdx.x) * 16 * tiles * threshold_warps +
                         16 * tiles * warp;
  const int strip = first_tile - 16 * tiles * warp;
  const ProductRows source(a, strip);
  const bool beyond = source.beyond();
  // The first rows are in flight while the block computes its weights.
  const auto start_first = [&](int begin) {
#pragma unroll 1
    for (int g = 0; g < steps; ++g) {
      source.start(shared + g * rows * a.pitch, begin + g * rows - a.reach);
    }
  };
  const auto slot = [&](int newest, int later) {
    const int at = newest + later * rows;
    return at >= a.ring_rows ? at - a.ring_rows : at;
  };
  const int first_row = static_cast<int>(blockIdx.y) * a.segment_rows;
  follow_launch();
  start_first(first_row);
  doubts.clear();

  const unsigned char* const lane_words = shared + source.before() + 16 * tiles * warp + 4 * t;
  const unsigned char* const lane_rows[2] = {
      lane_words - a.reach + weighed_place(row, 0) * a.pitch,
      lane_words - a.reach + weighed_place(row, 1) * a.pitch};
  const int width = static_cast<int>(a.src.width);
  const int height = static_cast<int>(a.src.height);
  const int x = first_tile + 4 * t;
  constexpr int64_t most_pitch = int64_t{1} << 26;  // 16 rows are less than 2^31 bytes apart
  const bool whole = x >= 0 && x + 16 * (tiles - 1) + 4 <= width && is_multiple(a.out.dst + x, 4) &&
                     a.out.dst_pitch % 4 == 0 && a.out.dst_pitch <= most_pitch;
  const int second =
      (weighed_place(row, 1) - weighed_place(row, 0)) * static_cast<int>(a.out.dst_pitch);

  // A full store of doubtful pixels ends the loop over rows early. The loop begins anew after they
  // are settled. Settling them inside the loop would take registers from it.
  for (int64_t segment = first_row; segment < height;
       segment += int64_t{gridDim.y} * a.segment_rows) {
    const int end = static_cast<int>(min(segment + a.segment_rows, int64_t{height}));
    for (int begin = static_cast<int>(segment); begin < end;) {
      if (begin != first_row) start_first(begin);
      WeightMatrix<groups> weights;
      weights.make(a, reinterpret_cast<unsigned char*>(doubts.sums));
      WeighedRows<groups> weighed[tiles] = {};
      typename Doubts<groups>::Kept kept;
      int newest = 0;  // index of the last rows that have arrived
      unsigned char* to = a.out.dst + (begin + weighed_place(row, 0)) * a.out.dst_pitch + x;
      int y = begin - (groups - 1) * rows;
#pragma unroll 1
      for (; y < end; y += steps * rows) {
        finish_copies();
        if (__syncthreads_or(doubts.is_full(a, kept, y + steps * rows) ? 1 : 0) != 0) break;
        if (beyond) {
#pragma unroll 1
          for (int g = 0; g < steps && y + g * rows < end; ++g) {
            source.repeat_edges(shared + slot(newest, g) * a.pitch);
          }
          __syncthreads();
        }
#pragma unroll 1
        for (int g = steps; g < 2 * steps; ++g) {
          const int of_y = y + g * rows;
          if (of_y < end) {
            source.start(shared + slot(newest, g) * a.pitch, of_y + (groups - 1) * rows - a.reach);
          }
        }
#pragma unroll 1
        for (int step_y = y; step_y < min(y + steps * rows, end); step_y += rows) {
          const int next = slot(newest, 1);
          if (first_tile >= width) {  // the image ends before the strip does
            newest = next;
            continue;
          }
          unsigned pixels[2][groups + tiles - 1];
#pragma unroll
          for (int b = 0; b < 2; ++b) {
            const unsigned char* const from = lane_rows[b] + newest * a.pitch;
#pragma unroll
            for (int g = 0; g < groups + tiles - 1; ++g) {
              pixels[b][g] = *reinterpret_cast<const unsigned*>(from + 16 * g);
            }
          }
#pragma unroll
          for (int i = 0; i < tiles; ++i) {
            weigh_along<groups>(weights, {pixels[0] + i, pixels[1] + i}, order, a.cut, weighed[i]);
          }
          if (step_y >= begin) {
            const unsigned char* own[2];
#pragma unroll
            for (int r = 0; r < 2; ++r) {
              int at = newest + a.reach - (groups - 1) * rows + weighed_place(row, r);
              if (at < 0) at += a.ring_rows;
              own[r] = lane_words + at * a.pitch;
            }
            unsigned excess[tiles][2][4];
            unsigned least = ~0U;
#pragma unroll
            for (int i = 0; i < tiles; ++i) {
              unsigned words[2];
#pragma unroll
              for (int r = 0; r < 2; ++r) {
                words[r] =
                    permuted(*reinterpret_cast<const unsigned*>(own[r] + 16 * i), 0, order.within);
              }
              weigh_down<groups>(weights, weighed[i], words, a, excess[i]);
              least = min(least, least_of(excess[i]));
            }
            if (__any_sync(~0U, least <= a.first_doubt)) [[unlikely]] {
#pragma unroll
              for (int i = 0; i < tiles; ++i) {
                add_low_products(weights, weighed[i], a.most_low, excess[i]);
                if (__any_sync(~0U, least_of(excess[i]) <= a.doubt)) {
                  doubts.add(a, excess[i], tiles * warp + i, first_tile + 16 * i, step_y, end,
                             kept);
                }
              }
            }
            unsigned results[tiles][2];
#pragma unroll
            for (int i = 0; i < 2 * tiles; ++i) {
              const unsigned(&of_row)[4] = excess[i / 2][i % 2];
              const unsigned is_above = permuted(permuted(of_row[0], of_row[1], 0x00fb),
                                                 permuted(of_row[2], of_row[3], 0x00fb), order.low);
              results[i / 2][i % 2] = (is_above & a.above) | (~is_above & a.below);
            }
            if (whole && step_y + rows <= end) {
#pragma unroll
              for (int i = 0; i < tiles; ++i) {
                *reinterpret_cast<unsigned*>(to + 16 * i) = results[i][0];
                *reinterpret_cast<unsigned*>(to + second + 16 * i) = results[i][1];
              }
            } else {
#pragma unroll
              for (int i = 0; i < tiles; ++i) {
                store_near_edge(a, x + 16 * i, step_y, row, end, results[i]);
              }
            }
            to += rows * a.out.dst_pitch;
          }
          newest = next;
        }
      }
      finish_copies();
      doubts.settle(a, strip, end);
      begin = y;
    }
  }
}

}  // namespace warpwise::kernels::threshold
