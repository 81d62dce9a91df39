#pragma once

#include "problem.hpp"
#include "warpwise/primitives/shared/matching.hpp"

// The parts that are the same in every rung: the candidates of an image block, the choice of the
// best of them, and how it is stored.
namespace warpwise::ladders {

/// The measure that a file is compiled for: 0 sad, 1 ssd, 2 ncc.
constexpr Measure measure = static_cast<Measure>(MEASURE);
constexpr bool least = least_is_best(measure);

/// Sums over pairs of pixels of a block and of a window: exact integers, from which ncc computes
/// one double.
struct Sums {
  unsigned pairs = 0;
  unsigned reference_squares = 0;
  unsigned target_squares = 0;

  __device__ void add(int a, int b) {
    if constexpr (measure == Measure::sad) {
      pairs += abs(a - b);
    } else if constexpr (measure == Measure::ssd) {
      pairs += (a - b) * (a - b);
    } else {
      pairs += a * b;
      reference_squares += a * a;
      target_squares += b * b;
    }
  }

  __device__ auto score() const {
    if constexpr (least) {
      return pairs;
    } else {
      return ncc_score(pairs, reference_squares, target_squares);
    }
  }
};

using Score = decltype(Sums().score());

/// Returns the score of a displacement that leaves the image: the score of every candidate is
/// better.
__device__ inline Score no_score() {
  if constexpr (least) {
    return 0xffffffffu;
  } else {
    return __longlong_as_double(0xfff0000000000000ll);  // minus infinity
  }
}

/// Place of an image block; `number` counts the blocks row by row.
struct Block {
  long long x;
  long long y;

  __device__ Block(const MatchProblem& p, long long number)
      : x(number % p.columns * p.size), y(number / p.columns * p.size) {}

  /// Returns true if the displacement keeps the block inside the target.
  __device__ bool stays_inside(const MatchProblem& p, int dx, int dy) const {
    return x + dx >= 0 && x + dx + p.size <= p.width && y + dy >= 0 && y + dy + p.size <= p.height;
  }
};

/// The best of the candidates so far, and its place in raster order of (dy, dx).
struct Best {
  static constexpr unsigned nowhere = 0xffffffffu;
  Score score = no_score();
  unsigned place = nowhere;

  /// Equal scores are decided by their place, so candidates may come in any order.
  __device__ void offer(Score other, unsigned other_place) {
    const bool better = least ? other < score : other > score;
    if (better || (other == score && other_place < place)) {
      score = other;
      place = other_place;
    }
  }

  __device__ void store(const MatchProblem& p, long long number) const {
    const long long column = number % p.columns;
    const long long row = number / p.columns;
    const bool found = place != nowhere;
    auto* displacement = reinterpret_cast<short*>(p.displacement + row * p.displacement_pitch);
    displacement[2 * column] = found ? p.first + static_cast<int>(place % p.search) : -32768;
    displacement[2 * column + 1] = found ? p.first + static_cast<int>(place / p.search) : -32768;
    unsigned char* scores = p.score + row * p.score_pitch;
    if constexpr (least) {
      reinterpret_cast<unsigned*>(scores)[column] = score;
    } else {
      reinterpret_cast<float*>(scores)[column] = __double2float_rn(score);
    }
  }
};

/// Returns the best of a warp's candidates, in its first lane. All lanes call it.
__device__ inline Best best_of_warp(Best best) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const Score score = __shfl_down_sync(0xffffffffu, best.score, distance);
    const unsigned place = __shfl_down_sync(0xffffffffu, best.place, distance);
    best.offer(score, place);
  }
  return best;
}

}  // namespace warpwise::ladders
