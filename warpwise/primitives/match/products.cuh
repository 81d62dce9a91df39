#pragma once

#include "warpwise/primitives/match/kernel.cuh"
#include "warpwise/primitives/shared/scorer.cuh"
#include "warpwise/primitives/shared/toeplitz.cuh"

// The match kernel for ssd, ncc and zncc when many candidates are compared with large blocks.
// Integer matrix units sum the products (toeplitz.cuh). Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::match {

inline constexpr int match_products_warps = match_products_threads / 32;
inline constexpr int match_products_pitch = 20;  // words; 8 rows lie in different banks
inline constexpr int match_products_area = 2 * match_products_side - 1;
// How many of the block's rows 0 to 7 a warp sums, each with the rows 8, 16 and 24 below it.
inline constexpr int match_products_offsets = 8 / match_products_warps;
// Rows of candidates that a lane scores, in one column.
inline constexpr int match_products_column = match_products_side / match_products_warps;

/// A part of the image block, and of the target around it, in shared memory.
struct MatchProductsPart {
  alignas(16) unsigned area[match_products_area + 1][match_products_pitch];
  alignas(16) ToeplitzRow<24> block[match_products_side];
  /// Sums of squared pixels, and of pixels. Element [r][c] is for row r of `area`: it begins at
  /// column c and covers the part's width.
  unsigned row_squares[match_products_area + 1][match_products_side + 1];
  unsigned row_totals[match_products_area + 1][match_products_side + 1];
};

struct MatchProductsShared {
  union {
    MatchProductsPart part;
    /// Each warp's sums.
    unsigned products[match_products_warps][match_products_side][match_products_side + 8];
  };
  unsigned block_squares;
  unsigned block_total;
  float most[match_products_warps];
};

/// Size of a part of the image block that is summed at once.
struct MatchPart {
  int width;
  int height;
};

/// Sums of the target's squared pixels, and of its pixels, under each of a lane's candidates.
struct MatchWindows {
  unsigned squares[match_products_column] = {};
  unsigned totals[match_products_column] = {};
};

/// Copies the target's pixels for the tile's candidates, from (x, y) on, to shared memory.
__device__ inline void load_area(const MatchImage& target, cuda::std::int64_t x,
                                 cuda::std::int64_t y, MatchProductsShared& s) {
  constexpr int words = match_products_side / 2;
  // The words around four pixels begin up to 3 bytes before them and end up to 4 behind.
  const bool inside = x >= 3 && x + 4 * words + 4 <= target.width && y >= 0 &&
                      y + match_products_area <= target.height;
  if (!inside) {
    load_words(target, x, y, words, match_products_area, &s.part.area[0][0], match_products_pitch);
    return;
  }
  const int word = static_cast<int>(threadIdx.x) % words;
  const int first = static_cast<int>(threadIdx.x) / words;
  constexpr int step = match_products_threads / words;
  const unsigned char* from = target.data + (y + first) * target.pitch + x + 4 * word;
#pragma unroll
  for (int row = 0; row < match_products_area; row += step) {
    if (row + first < match_products_area) {
      const auto address = reinterpret_cast<cuda::std::uintptr_t>(from);
      const auto* around = reinterpret_cast<const unsigned*>(address & ~cuda::std::uintptr_t{3});
      s.part.area[row + first][word] =
          __funnelshift_r(__ldg(around), __ldg(around + 1), static_cast<unsigned>(address & 3) * 8);
    }
    from += step * target.pitch;
  }
}

/// Copies a part of the image block to shared memory, padded with zeros. A thread writes one of the
/// 4 copies in a ToeplitzRow. Also adds the part's sums to block_squares and block_total.
__device__ inline void load_block(const MatchImage& reference, cuda::std::int64_t x,
                                  cuda::std::int64_t y, MatchPart part, MatchProductsShared& s) {
  static_assert(match_products_threads == 4 * match_products_side);
  const int row = static_cast<int>(threadIdx.x) / 4, copy = static_cast<int>(threadIdx.x) % 4;
  unsigned own[2], squares = 0, total = 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int column = 8 * copy + 4 * i, left = part.width - column;
    own[i] = row < part.height && left > 0 ? load_four(reference, x + column, y + row) : 0;
    if (left < 4) own[i] &= left > 0 ? (1U << (8 * left)) - 1 : 0;
    squares = __dp4a(own[i], own[i], squares);
    total = __dp4a(own[i], 0x01010101U, total);
  }
  // A copy has 24 words. The row, shifted by `copy` bytes, begins at word 8. The others are 0.
  unsigned words[12] = {};
  unsigned before = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned pixels = __shfl_sync(0xffffffffU, own[k % 2], k / 2, 4);
    words[k] = __funnelshift_l(before, pixels, 8 * copy);
    before = pixels;
  }
  words[8] = __funnelshift_l(before, 0, 8 * copy);
  auto* to = reinterpret_cast<uint4*>(s.part.block[row].copies[copy]);
  to[0] = to[1] = to[5] = uint4{};
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    to[2 + k] = {words[4 * k], words[4 * k + 1], words[4 * k + 2], words[4 * k + 3]};
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    squares += __shfl_xor_sync(0xffffffffU, squares, distance);
    total += __shfl_xor_sync(0xffffffffU, total, distance);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&s.block_squares, squares);
  atomicAdd(&s.block_total, total);
}

/// Fills row_squares, and row_totals if with_totals. A thread computes 16 adjacent elements of one
/// row, by a running sum.
template <bool with_totals>
__device__ inline void sum_rows(MatchPart part, MatchProductsShared& s) {
  constexpr int columns = match_products_side / 2;
  const int row = static_cast<int>(threadIdx.x) % 64, half = static_cast<int>(threadIdx.x) / 64;
  if (row >= part.height + match_products_side - 1) return;
  const unsigned* area = s.part.area[row] + half * (columns / 4);
  unsigned words[12];
#pragma unroll
  for (int k = 0; k < 12; k += 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(area + k);
    words[k] = four.x, words[k + 1] = four.y, words[k + 2] = four.z, words[k + 3] = four.w;
  }
  unsigned squares = 0, total = 0;
#pragma unroll
  for (int k = 0; k < match_products_side / 4; ++k) {
    const int left = part.width - 4 * k;
    const unsigned word = left >= 4 ? words[k] : left > 0 ? words[k] & ((1U << (8 * left)) - 1) : 0;
    squares = __dp4a(word, word, squares);
    if constexpr (with_totals) total = __dp4a(word, 0x01010101U, total);
  }
  const unsigned* enters = area + part.width / 4;
#pragma unroll
  for (int k = 0; k < columns / 4; ++k) {
    const unsigned leaving = words[k];
    const unsigned entering = part.width == match_products_side
                                  ? words[k + match_products_side / 4]
                                  : __funnelshift_r(enters[k], enters[k + 1], part.width % 4 * 8);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = columns * half + 4 * k + i;
      s.part.row_squares[row][column] = squares;
      if constexpr (with_totals) s.part.row_totals[row][column] = total;
      const unsigned in = entering >> (8 * i) & 0xff, out = leaving >> (8 * i) & 0xff;
      squares += in * in - out * out;
      if constexpr (with_totals) total += in - out;
    }
  }
}

/// Adds to `windows`, for this lane's candidates, the sums of the target's pixels under the part.
template <bool with_totals>
__device__ inline void add_windows(MatchPart part, const MatchProductsShared& s,
                                   MatchWindows& windows) {
  const int column = static_cast<int>(threadIdx.x) % 32;
  const int top = static_cast<int>(threadIdx.x) / 32 * match_products_column;
  unsigned squares = 0, total = 0;
#pragma unroll 8
  for (int row = 0; row < part.height; ++row) {
    squares += s.part.row_squares[top + row][column];
    if constexpr (with_totals) total += s.part.row_totals[top + row][column];
  }
#pragma unroll
  for (int i = 0; i < match_products_column; ++i) {
    windows.squares[i] += squares;
    windows.totals[i] += total;
    if (i + 1 == match_products_column) break;
    const int leaves = top + i, enters = leaves + part.height;
    squares += s.part.row_squares[enters][column] - s.part.row_squares[leaves][column];
    if constexpr (with_totals) {
      total += s.part.row_totals[enters][column] - s.part.row_totals[leaves][column];
    }
  }
}

/// Adds the products of this warp's rows of the part to its sums for all candidates.
__device__ inline void add_products(MatchPart part, const MatchProductsShared& s,
                                    MatrixSums (&sums)[2][4]) {
  constexpr int pitch = match_products_pitch;
  const unsigned* area = &s.part.area[0][0] + toeplitz_pixels(pitch, 16);
#pragma unroll 1
  for (int i = 0; i < match_products_offsets; ++i) {
    const int row = static_cast<int>(threadIdx.x) / 32 * match_products_offsets + i;
    if (row >= part.height) break;
    add_toeplitz<true, false, match_products_side>(
        area + row * pitch, pitch, s.part.block[row].lane(0), 4 * 24, part.height - row, sums);
    add_toeplitz<false, true, match_products_side>(
        area + row * pitch + 8, pitch, s.part.block[row].lane(1), 4 * 24, part.height - row, sums);
  }
}

/// Sums the block at (x, y) of the reference against the tile of candidates at (tile_x, tile_y) of
/// the target. Leaves the products in shared memory. All threads must call it.
template <bool with_totals>
__device__ inline MatchWindows sum_candidates(const MatchArguments& a, cuda::std::int64_t x,
                                              cuda::std::int64_t y, cuda::std::int64_t tile_x,
                                              cuda::std::int64_t tile_y, MatchProductsShared& s) {
  const MatchImage reference{a.reference, a.reference_pitch, a.width, a.height};
  const MatchImage target{a.target, a.target_pitch, a.width, a.height};
  MatrixSums sums[2][4] = {};
  MatchWindows windows;
  __syncthreads();  // waits until the tile before has been scored
  if (threadIdx.x == 0) s.block_squares = s.block_total = 0;
  for (int part_y = 0; part_y < a.block_height; part_y += match_products_side) {
    for (int part_x = 0; part_x < a.block_width; part_x += match_products_side) {
      const MatchPart part{min(match_products_side, a.block_width - part_x),
                           min(match_products_side, a.block_height - part_y)};
      __syncthreads();  // waits until the old content has been summed
      load_area(target, tile_x + part_x, tile_y + part_y, s);
      load_block(reference, x + part_x, y + part_y, part, s);
      __syncthreads();
      sum_rows<with_totals>(part, s);
      add_products(part, s, sums);
      __syncthreads();
      add_windows<with_totals>(part, s, windows);
    }
  }
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    store_sums<match_products_side + 8>(sums[m], &s.products[warp][8 * m][0], 16);
  }
  __syncthreads();
  return windows;
}

/// Calls offer(score, column, line) for each of this lane's candidates that may be the best of the
/// tile. For ssd these are all candidates. For ncc and zncc it leaves out candidates that certainly
/// score less than another. All threads must call it.
template <Measure measure, class Offer>
__device__ inline void score_candidates(const MatchArguments& a, MatchProductsShared& s,
                                        const MatchWindows& windows, int columns, int rows,
                                        Offer offer) {
  const int column = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int top = warp * match_products_column;
  const int count = column < columns ? min(rows - top, match_products_column) : 0;
  PlaceSums<unsigned> places[match_products_column];
#pragma unroll
  for (int i = 0; i < match_products_column; ++i) {
    unsigned ab = 0;
#pragma unroll
    for (int w = 0; w < match_products_warps; ++w) ab += s.products[w][top + i][column];
    places[i] = {ab, windows.squares[i], windows.totals[i]};
  }
  if constexpr (measure == Measure::ssd) {
#pragma unroll
    for (int i = 0; i < match_products_column; ++i) {
      if (i < count) offer(s.block_squares - 2 * places[i].ab + places[i].bb, column, top + i);
    }
  } else {
    const Scorer<measure, unsigned> scorer(a.block_width * a.block_height, s.block_total,
                                           s.block_squares);
    float estimates[match_products_column], most = -2;
#pragma unroll
    for (int i = 0; i < match_products_column; ++i) {
      estimates[i] = i < count ? scorer.estimate(places[i]) : -2.0F;
      most = fmaxf(most, estimates[i]);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, distance));
    }
    if (threadIdx.x % 32 == 0) s.most[warp] = most;
    __syncthreads();
    for (const float other : s.most) most = fmaxf(most, other);
#pragma unroll
    for (int i = 0; i < match_products_column; ++i) {
      if (i < count && !(estimates[i] < most - estimate_margin)) {
        offer(scorer.score(places[i]), column, top + i);
      }
    }
  }
}

/// Matches the image blocks of column blockIdx.x, in every gridDim.y-th row from blockIdx.y on.
template <Measure measure>
__global__ void __launch_bounds__(match_products_threads, 5)
    match_products_kernel(MatchArguments a) {
  __shared__ MatchProductsShared s;
  wait_for_launch();
  for (cuda::std::int64_t row = blockIdx.y; row < a.rows; row += gridDim.y) {
    const cuda::std::int64_t x = blockIdx.x * a.stride_x;
    const cuda::std::int64_t y = row * a.stride_y;
    const MatchCandidates candidates(a, x, y);
    MatchBest<MatchScore<measure>, least_is_best(measure)> best{worst_match<measure>()};
    for (int tile_y = 0; tile_y < candidates.rows; tile_y += match_products_side) {
      for (int tile_x = 0; tile_x < candidates.columns; tile_x += match_products_side) {
        const MatchWindows windows =
            sum_candidates < measure == Measure::zncc > (a, x, y, x + candidates.first_x + tile_x,
                                                         y + candidates.first_y + tile_y, s);
        score_candidates<measure>(
            a, s, windows, candidates.columns - tile_x, candidates.rows - tile_y,
            [&](MatchScore<measure> score, int column, int line) {
              best.offer(score, static_cast<unsigned>(tile_y + line) * candidates.columns + tile_x +
                                    column);
            });
      }
    }
    best = best_of_block(best);
    if (threadIdx.x == 0) store_match(a, row, candidates, best);
  }
}

}  // namespace warpwise::kernels::match
