#pragma once

#include "warpwise/primitives/match/differences.cuh"

// The match kernel for sad of many candidates with large blocks. A quarter of the block's pixels is
// summed for every candidate. A candidate cannot win if this sum exceeds another one's whole score.
// If at most half of a warp's threads have candidates left, all its threads share their sums over
// the other pixels. If more threads have candidates left, but not nearly all of them, the test is
// repeated after half of the pixels. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::match {

// A block's columns of 4 pixels that the first and second test add. Bit k: columns k, k + 4, …
inline constexpr unsigned match_first_columns = 0b0010;
inline constexpr unsigned match_second_columns = 0b1000;
// Limits of the number of lanes that have candidates left after a test.
inline constexpr int match_few_lanes = 16;   // up to this limit, all lanes share the other pixels
inline constexpr int match_many_lanes = 28;  // above this limit, there is no second test
// Factor between a lane's least sum and the warp's least one, above which bound_of_warp() computes
// a bound.
inline constexpr unsigned match_much = 3;
// Largest number. It stands for the least sum of a lane without candidates, and for no bound.
inline constexpr unsigned least_nowhere = 0xffffffffU;

/// Returns the score of the candidate whose first word lies at `area`, shifted by `shift` bytes. A
/// warp sums it together, and all its lanes return it.
__device__ inline unsigned score_together(const MatchArguments& a, const unsigned* block,
                                          const uint4* area, int shift) {
  const unsigned* shifted = reinterpret_cast<const unsigned*>(area) + shift;
  unsigned sum = 0;
  for (int row = static_cast<int>(threadIdx.x) % 32; row < a.block_height; row += 32) {
#pragma unroll 4
    for (int word = 0; word < a.block_width / 4; ++word) {
      sum = add_differences(block[word * a.column_pitch + row],
                            shifted[4 * (row * a.area_pitch + word)], sum);
    }
  }
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  return sum;
}

/// Returns an upper bound of the best score, or least_nowhere for no bound. The bound is the whole
/// score of the candidate with the warp's least sum so far. If no lane's least sum is much greater,
/// as with noise, a bound would reject few candidates, and none is computed.
/// \param least   the least of this lane's sums; least_nowhere if the lane has no candidates
/// \param offset  place of this lane's first candidate in the search area
__device__ inline unsigned bound_of_warp(const MatchArguments& a, const unsigned* block,
                                         const uint4* area, const LeastOfGroup& least, int offset) {
  unsigned score = least.score;
  for (int distance = 16; distance > 0; distance /= 2)
    score = min(score, __shfl_xor_sync(0xffffffffu, score, distance));
  const bool is_worse = least.score != least_nowhere && least.score / match_much > score;
  if (!__any_sync(0xffffffffu, is_worse)) return least_nowhere;
  const int leader = __ffs(__ballot_sync(0xffffffffu, least.score == score)) - 1;
  const int number = __shfl_sync(0xffffffffu, least.number, leader);
  const int at = __shfl_sync(0xffffffffu, offset, leader) + number / 4 * a.area_pitch;
  return score_together(a, block, area + at, number % 4);
}

/// Divides the lanes of a warp among the lanes that still have candidates.
struct Sharing {
  int lanes;  ///< number of lanes that share a group of candidates, a power of two
  int part;   ///< index of this lane among those that share its group
  int owner;  ///< lane whose group this lane helps with; −1: none

  __device__ explicit Sharing(unsigned owners) {
    const int bits = 32 - __clz(__popc(owners) - 1);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    lanes = 32 >> bits;
    part = lane & (lanes - 1);
    for (int before = lane >> (5 - bits); before > 0; --before) owners &= owners - 1;
    owner = __ffs(owners) - 1;
  }
};

/// Adds this lane's share of the pixels left: pieces of the block, a word wide, `group` rows high.
/// \param left  columns of words that are left among each four: 2 or 3
template <int group>
__device__ inline void add_pieces(const MatchArguments& a, const unsigned* block,
                                  const uint4* corner, int left, const Sharing& sharing,
                                  unsigned (&sums)[4 * group]) {
  const int pieces_of_column = a.block_height / group;
  const int columns = a.block_width / 16 * left;
  const int step = sharing.lanes % pieces_of_column;
  int piece = sharing.part % pieces_of_column;
  int column = sharing.part / pieces_of_column;
  while (column < columns) {
    const int word = column / left * 4 + (column % left == 0 ? 0 : column % left + 1);
    add_difference_column<false, group, true>(block + word * a.column_pitch + group * piece,
                                              corner + group * piece * a.area_pitch + word,
                                              a.area_pitch, group, 0, sums);
    piece += step;
    column += sharing.lanes / pieces_of_column;
    if (piece >= pieces_of_column) {
      piece -= pieces_of_column;
      ++column;
    }
  }
}

/// Reduce-scatter of `sums` over the lanes that share a group. A lane gets its share of the totals,
/// at least one, in sums[0], … Returns the index of the first one's candidate in the group.
template <int group>
__device__ inline int add_up(const Sharing& sharing, unsigned (&sums)[4 * group]) {
  int first = 0;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    if (distance >= sharing.lanes) break;
    const int half = 2 * group / distance;
    if (half == 0) sums[0] += __shfl_xor_sync(0xffffffffu, sums[0], distance);
    const bool has_upper = (sharing.part & distance) != 0;
    first += has_upper ? half : 0;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const unsigned other = has_upper ? sums[i] : sums[i + half];
      sums[i] =
          (has_upper ? sums[i + half] : sums[i]) + __shfl_xor_sync(0xffffffffu, other, distance);
    }
  }
  return first;
}

/// Completes the sums of the groups of the lanes in `owners`. All lanes help, and each offers its
/// share of the candidates to `best`.
/// \param column, line  place of this lane's first candidate
template <int group>
__device__ inline void finish_together(const MatchArguments& a, const MatchCandidates& candidates,
                                       const unsigned* block, const uint4* area, int left,
                                       unsigned owners, int offset, int column, int line,
                                       unsigned (&sums)[4 * group],
                                       MatchBest<unsigned, true>& best) {
  const Sharing sharing(owners);
  const int from = sharing.owner < 0 ? 0 : sharing.owner;
#pragma unroll
  for (int k = 0; k < 4 * group; ++k) {
    const unsigned owned = __shfl_sync(0xffffffffu, sums[k], from);
    sums[k] = sharing.part == 0 ? owned : 0;
  }
  offset = __shfl_sync(0xffffffffu, offset, from);
  column = __shfl_sync(0xffffffffu, column, from);
  line = __shfl_sync(0xffffffffu, line, from);
  if (sharing.owner >= 0) add_pieces<group>(a, block, area + offset, left, sharing, sums);
  __syncwarp();
  const int first = add_up<group>(sharing, sums);
  if (sharing.owner < 0) return;
  unsigned least = 0xffffffffU;
#pragma unroll
  for (int i = 0; i < 2 * group; ++i) {
    const int number = first + i;
    if (i < max(4 * group / sharing.lanes, 1) && number % 4 < candidates.columns - column &&
        number / 4 < candidates.rows - line) {
      least = min(least, sums[i] * (4 * group) + static_cast<unsigned>(number));
    }
  }
  if (least == 0xffffffffU) return;
  const int number = static_cast<int>(least % (4 * group));
  best.offer(least / (4 * group),
             static_cast<unsigned>(line + number / 4) * candidates.columns + column + number % 4);
}

/// Does what match_differences() does. Shared memory holds the whole image block, as a single part
/// (load_part). The image block's width is a multiple of 16, and its height a multiple of 8.
/// \tparam group  rows of 4 candidates that a thread scores
template <int group>
__device__ inline void match_rejecting(const MatchArguments& a) {
  extern __shared__ uint4 match_shifts[];
  __shared__ unsigned bound;
  uint4* area = match_shifts;
  unsigned* block = block_behind<group>(area, a);
  const int words = a.block_width / 4;
  const int group_x = static_cast<int>(threadIdx.x) % a.tile_groups_x;
  const int group_y = static_cast<int>(threadIdx.x) / a.tile_groups_x;
  const int offset = group * group_y * a.area_pitch + group_x;
  for (cuda::std::int64_t row = blockIdx.y; row < a.rows; row += gridDim.y) {
    const cuda::std::int64_t x = blockIdx.x * a.stride_x;
    const cuda::std::int64_t y = row * a.stride_y;
    const MatchCandidates candidates(a, x, y);
    MatchBest<unsigned, true> best{worst_match<Measure::sad>()};
    if (threadIdx.x == 0) bound = best.score;
    for (int tile_y = 0; tile_y < candidates.rows; tile_y += group * a.tile_groups_y) {
      for (int tile_x = 0; tile_x < candidates.columns; tile_x += 4 * a.tile_groups_x) {
        load_part<group>(a, x, y, x + candidates.first_x + tile_x, y + candidates.first_y + tile_y,
                         a.block_width, a.block_height, block, area);
        const int column = tile_x + 4 * group_x, line = tile_y + group * group_y;
        const int columns = candidates.columns - column, rows = candidates.rows - line;
        const bool has_group = group_y < a.tile_groups_y && columns > 0 && rows > 0;
        const uint4* corner = area + offset;
        unsigned sums[4 * group] = {};
        LeastOfGroup least{least_nowhere, 0};
        unsigned limit = least_nowhere;
        // All passes over the columns share one loop, because its machine code is long.
        unsigned left = 0b1111, next = match_first_columns;
#pragma unroll 1
        for (;;) {
          left &= ~next;
          if (has_group) {
            for (int word = 0; word < words; ++word) {
              if ((next >> (word % 4) & 1) == 0) continue;
              add_difference_column<false, group, true>(block + word * a.column_pitch,
                                                        corner + word, a.area_pitch, a.block_height,
                                                        0, sums);
            }
            least = least_of<group>(sums, columns, rows);
          }
          if (left == 0) {
            if (has_group) {
              best.offer(least.score,
                         static_cast<unsigned>(line + least.number / 4) * candidates.columns +
                             column + least.number % 4);
            }
            break;
          }
          const unsigned score = bound_of_warp(a, block, area, least, offset);
          if (next == match_first_columns) {
            if (threadIdx.x % 32 == 0) atomicMin(&bound, score);
            __syncthreads();
            limit = bound;
          } else {
            limit = min(limit, score);
          }
          const unsigned owners = __ballot_sync(0xffffffffu, has_group && least.score <= limit);
          const int alive = __popc(owners);
          if (alive <= match_few_lanes) {
            if (alive > 0) {
              finish_together<group>(a, candidates, block, area, __popc(left), owners, offset,
                                     column, line, sums, best);
            }
            break;
          }
          next = next == match_first_columns && alive <= match_many_lanes ? match_second_columns
                                                                          : left;
        }
      }
    }
    best = best_of_block(best);
    if (threadIdx.x == 0) store_match(a, row, candidates, best);
  }
}

/// Computes sad of large blocks, with four rows of candidates a thread. A thread has 64 registers,
/// which do not limit the number of thread blocks on a multiprocessor.
__global__ void __launch_bounds__(match_max_threads, 4) match_rejecting_kernel(MatchArguments a) {
  wait_for_launch();
  match_rejecting<match_group>(a);
}

/// Computes sad of large blocks, with eight rows of candidates a thread.
__global__ void __launch_bounds__(match_max_threads, 2)
    match_rejecting_tall_kernel(MatchArguments a) {
  wait_for_launch();
  match_rejecting<match_tall_group>(a);
}

}  // namespace warpwise::kernels::match
