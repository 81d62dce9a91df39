#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/match/arguments.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/shared/matching.hpp"
#include "warpwise/primitives/shared/shifted_words.cuh"

// The match kernel. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::match {

struct MatchImage {
  const unsigned char* data;
  cuda::std::int64_t pitch;
  cuda::std::int64_t width;
  cuda::std::int64_t height;
};

/// Returns pixels x to x + 3 of row y; outside the image the edge pixel is repeated.
__device__ inline unsigned load_four(const MatchImage& image, cuda::std::int64_t x,
                                     cuda::std::int64_t y) {
  const cuda::std::int64_t inside_y = y < 0 ? 0 : y < image.height ? y : image.height - 1;
  const unsigned char* row = image.data + inside_y * image.pitch;
  // The aligned words around four pixels start up to 3 bytes before them and end up to 3 after.
  if (x >= 3 && x + 7 <= image.width) {
    const auto address = reinterpret_cast<cuda::std::uintptr_t>(row + x);
    const auto* words = reinterpret_cast<const unsigned*>(address & ~cuda::std::uintptr_t{3});
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    return shift == 0 ? words[0] : __funnelshift_r(words[0], words[1], shift);
  }
  unsigned four = 0;
  for (int i = 0; i < 4; ++i) {
    const cuda::std::int64_t at = x + i < 0 ? 0 : x + i < image.width ? x + i : image.width - 1;
    four |= static_cast<unsigned>(row[at]) << (8 * i);
  }
  return four;
}

/// Copies rows × words words of four pixels from (x, y) on to shared memory, all threads together.
__device__ inline void load_words(const MatchImage& image, cuda::std::int64_t x,
                                  cuda::std::int64_t y, int words, int rows, unsigned* to,
                                  int to_pitch) {
  // Each step adds blockDim.x words, divided once into rows and words: the loop has no division.
  const int step_rows = static_cast<int>(blockDim.x) / words;
  const int step_words = static_cast<int>(blockDim.x) % words;
  int row = static_cast<int>(threadIdx.x) / words;
  int word = static_cast<int>(threadIdx.x) % words;
  while (row < rows) {
    to[row * to_pitch + word] = load_four(image, x + 4 * word, y + row);
    row += step_rows;
    word += step_words;
    if (word >= words) {
      word -= words;
      ++row;
    }
  }
}

/// Returns c + Σ|a − b| over the four bytes of a word: one instruction on most GPUs.
__device__ inline unsigned add_differences(unsigned a, unsigned b, unsigned c) {
  unsigned sum;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}

/// Sums of a thread's candidates, row by row, from which the measure is computed. Sums that a
/// measure does not need are never used and cost nothing.
/// \tparam group  rows of 4 candidates
template <Measure measure, int group>
struct MatchSums {
  static constexpr int candidates = 4 * group;
  unsigned pairs[candidates] = {};    ///< Σ|a − b|, Σ(a − b)² or Σab
  unsigned squares[candidates] = {};  ///< Σb²
  unsigned totals[candidates] = {};   ///< Σb
  unsigned reference_squares = 0;
  unsigned reference_total = 0;

  __device__ void add_reference(unsigned a) {
    if constexpr (!least_is_best(measure)) reference_squares = __dp4a(a, a, reference_squares);
    if constexpr (measure == Measure::zncc)
      reference_total = __dp4a(a, 0x01010101u, reference_total);
  }

  __device__ void add(int i, unsigned a, unsigned b) {
    if constexpr (measure == Measure::sad) {
      pairs[i] = add_differences(a, b, pairs[i]);
    } else if constexpr (measure == Measure::ssd) {
      const unsigned difference = __vabsdiffu4(a, b);
      pairs[i] = __dp4a(difference, difference, pairs[i]);
    } else {
      pairs[i] = __dp4a(a, b, pairs[i]);
      squares[i] = __dp4a(b, b, squares[i]);
      if constexpr (measure == Measure::zncc) totals[i] = __dp4a(b, 0x01010101u, totals[i]);
    }
  }

  __device__ auto score(int i, int pixels) const {
    if constexpr (least_is_best(measure))
      return pairs[i];
    else if constexpr (measure == Measure::ncc)
      return ncc_score(pairs[i], reference_squares, squares[i]);
    else
      return zncc_score(pixels, reference_total, totals[i], pairs[i], reference_squares,
                        squares[i]);
  }
};

/// Adds the next rows of a column of the image block, one word wide, to the sums: `group` rows if
/// `whole`, otherwise `rows`. `window` holds the target's words of `group` rows in registers. Each
/// new row's words replace those of the oldest row.
template <bool masked, bool whole, Measure measure, int group>
__device__ inline void add_rows(const unsigned* block, int block_pitch, const unsigned* area,
                                int area_pitch, int rows, unsigned mask,
                                ShiftedWords (&window)[group], MatchSums<measure, group>& sums) {
#pragma unroll
  for (int i = 0; i < group; ++i) {
    if (!whole && i >= rows) break;
    const unsigned a = masked ? block[i * block_pitch] & mask : block[i * block_pitch];
    window[(i + group - 1) % group] = load_shifts<masked>(area + i * area_pitch, mask);
    sums.add_reference(a);
#pragma unroll
    for (int k = 0; k < 4 * group; ++k) sums.add(k, a, window[(i + k / 4) % group].at[k % 4]);
  }
}

/// Adds a column of the image block, one word wide, to the sums.
template <bool masked, Measure measure, int group>
__device__ inline void add_column(const unsigned* block, int block_pitch, const unsigned* area,
                                  int area_pitch, int rows, unsigned mask,
                                  MatchSums<measure, group>& sums) {
  ShiftedWords window[group];
#pragma unroll
  for (int i = 0; i < group - 1; ++i) {
    window[i] = load_shifts<masked>(area, mask);
    area += area_pitch;
  }
  // Complete groups of rows need no branch after each row.
#pragma unroll 1
  for (; rows >= group; rows -= group) {
    add_rows<masked, true>(block, block_pitch, area, area_pitch, rows, mask, window, sums);
    block += group * block_pitch;
    area += group * area_pitch;
  }
  if (rows > 0)
    add_rows<masked, false>(block, block_pitch, area, area_pitch, rows, mask, window, sums);
}

/// A score and its candidate's place in raster order.
template <class Score, bool least>
struct MatchBest {
  static constexpr unsigned nowhere = 0xffffffffu;
  Score score;
  unsigned place = nowhere;

  /// Keeps the better candidate. The order is total, so the sequence of the calls does not matter.
  __device__ void offer(Score other, unsigned other_place) {
    const bool better = least ? other < score : other > score;
    if (better || (other == score && other_place < place)) {
      score = other;
      place = other_place;
    }
  }
};

/// Returns the best of the thread block in thread 0. All threads must call it.
template <class Best>
__device__ inline Best best_of_block(Best best) {
  __shared__ decltype(best.score) scores[match_max_threads / 32];
  __shared__ unsigned places[match_max_threads / 32];
  for (int distance = 16; distance > 0; distance /= 2) {
    const auto score = __shfl_down_sync(0xffffffffu, best.score, distance);
    const unsigned place = __shfl_down_sync(0xffffffffu, best.place, distance);
    best.offer(score, place);
  }
  __syncthreads();  // waits until the last call's results have been read
  if (threadIdx.x % 32 == 0) {
    scores[threadIdx.x / 32] = best.score;
    places[threadIdx.x / 32] = best.place;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) best.offer(scores[warp], places[warp]);
  }
  return best;
}

/// Stores `bytes` bytes at any alignment.
__device__ inline void store_bytes(unsigned char* to, unsigned value, int bytes) {
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(value >> (8 * i));
}

/// The candidates of one image block: the search ranges, cut at the border if skip_outside.
struct MatchCandidates {
  int first_x, first_y;
  int columns, rows;  ///< no candidates if either is below 1

  __device__ MatchCandidates(const MatchArguments& a, cuda::std::int64_t x, cuda::std::int64_t y) {
    cuda::std::int64_t x0 = a.first_x, x1 = a.last_x, y0 = a.first_y, y1 = a.last_y;
    if (a.skip_outside) {
      x0 = x0 > -x ? x0 : -x;
      y0 = y0 > -y ? y0 : -y;
      x1 = x1 < a.width - a.block_width - x ? x1 : a.width - a.block_width - x;
      y1 = y1 < a.height - a.block_height - y ? y1 : a.height - a.block_height - y;
    }
    first_x = static_cast<int>(x0);
    first_y = static_cast<int>(y0);
    columns = x1 < x0 ? 0 : static_cast<int>(x1 - x0) + 1;
    rows = y1 < y0 ? 0 : static_cast<int>(y1 - y0) + 1;
  }
};

/// Computes the sums of this thread's group. Its first candidate is (group_x, group_y) groups into
/// the tile at (tile_x, tile_y) of the target. Threads without a group only help to load.
template <Measure measure, int group>
__device__ inline MatchSums<measure, group> sum_group(const MatchArguments& a, cuda::std::int64_t x,
                                                      cuda::std::int64_t y,
                                                      cuda::std::int64_t tile_x,
                                                      cuda::std::int64_t tile_y, int group_x,
                                                      int group_y) {
  extern __shared__ unsigned match_words[];
  const MatchImage reference{a.reference, a.reference_pitch, a.width, a.height};
  const MatchImage target{a.target, a.target_pitch, a.width, a.height};
  const int block_pitch = (a.part_width + 3) / 4;
  unsigned* block = match_words;
  unsigned* area = match_words + block_pitch * a.part_height;
  MatchSums<measure, group> sums;
  for (int part_y = 0; part_y < a.block_height; part_y += a.part_height) {
    for (int part_x = 0; part_x < a.block_width; part_x += a.part_width) {
      const int width = min(a.part_width, a.block_width - part_x);
      const int height = min(a.part_height, a.block_height - part_y);
      const int words = (width + 3) / 4;
      __syncthreads();  // waits until the part before has been summed
      load_words(reference, x + part_x, y + part_y, words, height, block, block_pitch);
      load_words(target, tile_x + part_x, tile_y + part_y, words + a.tile_groups_x,
                 height + group * a.tile_groups_y - 1, area, a.area_pitch);
      __syncthreads();
      if (group_y < a.tile_groups_y) {
        const unsigned* corner = area + group * group_y * a.area_pitch + group_x;
        for (int word = 0; word < width / 4; ++word) {
          add_column<false>(block + word, block_pitch, corner + word, a.area_pitch, height, 0,
                            sums);
        }
        if (width % 4 != 0) {
          const unsigned mask = (1u << (8 * (width % 4))) - 1;
          add_column<true>(block + width / 4, block_pitch, corner + width / 4, a.area_pitch, height,
                           mask, sums);
        }
      }
    }
  }
  return sums;
}

/// Type of the score by which candidates are compared.
template <Measure measure>
using MatchScore = decltype(MatchSums<measure, 1>().score(0, 0));

/// Returns the score of an image block without candidates.
template <Measure measure>
__device__ inline MatchScore<measure> worst_match() {
  if constexpr (least_is_best(measure))
    return 0xffffffffU;
  else
    return -__longlong_as_double(0x7ff0000000000000);  // minus infinity
}

/// Writes the best candidate of the image block in row `row`, column blockIdx.x of image blocks.
template <class Best>
__device__ inline void store_match(const MatchArguments& a, cuda::std::int64_t row,
                                   const MatchCandidates& candidates, const Best& best) {
  const bool found = best.place != best.nowhere;
  const unsigned columns = found ? static_cast<unsigned>(candidates.columns) : 1;
  const int dx = found ? candidates.first_x + static_cast<int>(best.place % columns) : match_none;
  const int dy = found ? candidates.first_y + static_cast<int>(best.place / columns) : match_none;
  unsigned char* displacement = a.displacement + row * a.displacement_pitch + blockIdx.x * 4LL;
  store_bytes(displacement, static_cast<unsigned>(dx), 2);
  store_bytes(displacement + 2, static_cast<unsigned>(dy), 2);
  if (a.score == nullptr) return;
  unsigned bits;
  if constexpr (sizeof(best.score) == 4)
    bits = best.score;
  else
    bits = __float_as_uint(__double2float_rn(best.score));
  store_bytes(a.score + row * a.score_pitch + blockIdx.x * 4LL, bits, 4);
}

/// Matches the image blocks of column blockIdx.x, in every gridDim.y-th row from blockIdx.y on.
/// blockDim.x: a multiple of 32, large enough for a thread for each group of a tile.
/// \tparam group  rows of 4 candidates that a thread scores
template <Measure measure, int group>
__device__ inline void match_blocks(const MatchArguments& a) {
  const int group_x = static_cast<int>(threadIdx.x) % a.tile_groups_x;
  const int group_y = static_cast<int>(threadIdx.x) / a.tile_groups_x;
  for (cuda::std::int64_t row = blockIdx.y; row < a.rows; row += gridDim.y) {
    const cuda::std::int64_t x = blockIdx.x * a.stride_x;
    const cuda::std::int64_t y = row * a.stride_y;
    const MatchCandidates candidates(a, x, y);
    MatchBest<MatchScore<measure>, least_is_best(measure)> best{worst_match<measure>()};
    for (int tile_y = 0; tile_y < candidates.rows; tile_y += group * a.tile_groups_y) {
      for (int tile_x = 0; tile_x < candidates.columns; tile_x += 4 * a.tile_groups_x) {
        const MatchSums<measure, group> sums =
            sum_group<measure, group>(a, x, y, x + candidates.first_x + tile_x,
                                      y + candidates.first_y + tile_y, group_x, group_y);
        if (group_y >= a.tile_groups_y) continue;
#pragma unroll
        for (int k = 0; k < 4 * group; ++k) {
          const int column = tile_x + 4 * group_x + k % 4;
          const int line = tile_y + group * group_y + k / 4;
          if (column < candidates.columns && line < candidates.rows) {
            best.offer(sums.score(k, a.block_width * a.block_height),
                       static_cast<unsigned>(line) * candidates.columns + column);
          }
        }
      }
    }
    best = best_of_block(best);
    if (threadIdx.x == 0) store_match(a, row, candidates, best);
  }
}

template <Measure measure>
__global__ void __launch_bounds__(match_max_threads) match_kernel(MatchArguments a) {
  wait_for_launch();
  match_blocks<measure, match_group>(a);
}

}  // namespace warpwise::kernels::match
