#pragma once

#include "problem.hpp"
#include "warpwise/primitives/shared/matching.hpp"

// Shared by all rungs: the sums at a place, its score, and the choice of the best place.
namespace warpwise::ladders {

/// The measure that a file is compiled for: 0 sad, 3 zncc.
constexpr Measure measure = static_cast<Measure>(MEASURE);
constexpr bool least = least_is_best(measure);
static_assert(measure == Measure::sad || measure == Measure::zncc);
/// True if a score needs sums of the template and of the image alone.
constexpr bool with_own_sums = measure == Measure::zncc;

__device__ inline long long places_of(const FindProblem& p) { return p.columns * p.rows; }

/// Returns c + Σ|a − b| over the four bytes of a word: one instruction on most GPUs.
__device__ inline unsigned add_differences(unsigned a, unsigned b, unsigned c) {
  unsigned sum;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}

/// Sums over the template or the image alone, which zncc needs besides the products.
struct alignas(8) OwnSums {
  unsigned sum = 0;
  unsigned squares = 0;

  __device__ void add(int pixel) {
    sum += pixel;
    squares += pixel * pixel;
  }
  __device__ void add_word(unsigned pixels) {
    sum = __dp4a(pixels, 0x01010101u, sum);
    squares = __dp4a(pixels, pixels, squares);
  }
};

/// Sums at the start of scratch memory, if SUMS is 1. The kernels of running_sums.cuh compute them.
struct RunningSums {
  OwnSums* templ;    ///< sums of the whole template
  OwnSums* columns;  ///< [row of places][image column]: sums of the p.side pixels from there down
  OwnSums* windows;  ///< for each place: sums of the image's pixels that the template covers

  __device__ explicit RunningSums(const FindProblem& p)
      : templ(static_cast<OwnSums*>(p.scratch)), columns(templ + 2),
        windows(columns + p.width * p.rows) {}
  /// Returns the size of these sums in bytes, a multiple of 16.
  static __device__ long long bytes(const FindProblem& p) {
    return SUMS ? 16 + (8 * (p.width + p.columns) * p.rows + 15) / 16 * 16 : 0;
  }
};

/// Adds |a − b| or a · b to `sum`.
__device__ inline void add_pair(unsigned& sum, int a, int b) {
  if constexpr (measure == Measure::sad) {
    sum += abs(a - b);
  } else {
    sum += a * b;
  }
}

/// Adds |a − b| or a · b for each of the four pixels in words a and b.
__device__ inline void add_pairs(unsigned& sum, unsigned a, unsigned b) {
  if constexpr (measure == Measure::sad) {
    sum = add_differences(a, b, sum);
  } else {
    sum = __dp4a(a, b, sum);
  }
}

/// Computes the score: an exact integer for sad; for zncc a double from five integers.
__device__ inline auto score_of(const FindProblem& p, unsigned pairs, const OwnSums& templ,
                                const OwnSums& image) {
  if constexpr (measure == Measure::sad) {
    return pairs;
  } else {
    return zncc_score(static_cast<long long>(p.side) * p.side, templ.sum, image.sum, pairs,
                      templ.squares, image.squares);
  }
}

using Score = decltype(score_of(FindProblem(), 0, OwnSums(), OwnSums()));

/// The best place so far; places are numbered row by row.
struct Best {
  static constexpr long long nowhere = 0x7fffffffffffffff;
  Score score = least ? static_cast<Score>(0xffffffffu) : static_cast<Score>(-2);
  long long place = nowhere;

  /// Takes a place if it is better; among equal scores the first place wins, in any call order.
  __device__ void offer(Score other, long long other_place) {
    const bool better = least ? other < score : other > score;
    if (better || (other == score && other_place < place)) {
      score = other;
      place = other_place;
    }
  }
};

/// Returns a thread block's best place to its first thread. All threads must call it.
template <int threads>
__device__ inline Best best_of_block(Best best) {
  static_assert(threads % 32 == 0);
  __shared__ Score scores[threads / 32];
  __shared__ long long places[threads / 32];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (int distance = 16; distance > 0; distance /= 2) {
    const Score score = __shfl_down_sync(0xffffffffu, best.score, distance);
    const long long place = __shfl_down_sync(0xffffffffu, best.place, distance);
    best.offer(score, place);
  }
  if (thread % 32 == 0) {
    scores[thread / 32] = best.score;
    places[thread / 32] = best.place;
  }
  __syncthreads();
  for (int warp = 1; warp < threads / 32; ++warp) best.offer(scores[warp], places[warp]);
  return best;
}

constexpr int choose_threads = 256;

/// Writes the best of `count` places. Runs as one thread block of choose_threads threads.
__device__ inline void choose_best(const FindProblem& p, const Best* candidates, long long count) {
  Best best;
  for (long long i = threadIdx.x; i < count; i += choose_threads) {
    best.offer(candidates[i].score, candidates[i].place);
  }
  best = best_of_block<choose_threads>(best);
  if (threadIdx.x != 0) return;
  const long long words[] = {best.place % p.columns, best.place / p.columns,
                             __double_as_longlong(best.score)};
  for (int i = 0; i < 24; ++i) {
    p.best[i] = static_cast<unsigned char>(words[i / 8] >> (8 * (i % 8)));
  }
}

}  // namespace warpwise::ladders
