#pragma once

#include "warpwise/primitives/disparity/energy.cuh"
#include "warpwise/primitives/disparity/slice.cuh"
#include "warpwise/primitives/disparity/terms.cuh"
#include "warpwise/primitives/disparity/warp_least.cuh"
#include "warpwise/primitives/shared/matching.hpp"

// nvcc and NVRTC compile this file; it includes no host headers itself.
namespace warpwise::kernels::disparity {

/// A row of 32-bit sums of squared differences or of products, and of their scores. Scores are kept
/// as orders (see ScoreOrder): the least is the best; all bits set means no score.
template <Measure measure, bool checked, bool subpixel, int lanes>
class ScoredRow {
  using Orders = ScoreOrder<measure>;

 public:
  using Score = typename Orders::Order;
  using Terms = ColumnTerms<measure>;
  using Column = typename Terms::Sums;
  struct Best {
    Score order;
    unsigned slot;
  };
  struct Kept {
    Score order;
    unsigned slot;
    unsigned sum;  ///< sum of products, from which the order is computed
  };
  struct Entry {
    Best left;
    Kept right;  ///< best of the right pixel that has just passed the slice's last slot
  };
  static constexpr bool refines = subpixel;
  static constexpr int unrolled = 1;  ///< no unrolling: the code for four pixels is long enough
  static constexpr Score nothing = ~Score{0};

  ColumnWalk<measure, lanes> walk;

  __device__ ScoredRow(const BlockEnergies& energies, const SliceReach&, int64_t tile_x, int64_t y,
                       Column* first, int columns_back)
      : walk(first, columns_back), orders_(energies, tile_x, y) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      sum_[k] = 0;
      right_[k] = {nothing, 0, 0};
    }
  }

  __device__ void lead(bool half) {
    if (!half) {
      add(walk.template slide<0>());
      add(walk.template slide<1>());
    }
    add(walk.template slide<2>());
    add(walk.template slide<3>());
    walk.advance();
  }

  /// Processes four pixels, from tile column t on. `edge` is true near the image's edges, where
  /// right pixels of some slots do not exist or columns are beyond the image.
  template <bool edge>
  __device__ void group(int t, const SliceReach& reach, const SliceLines<ScoredRow>& lines) {
    orders_.advance();
    const Column enters[4] = {walk.template slide<0>(), walk.template slide<1>(),
                              walk.template slide<2>(), walk.template slide<3>()};
    const Column leaves[4] = {walk.template left_behind<0>(), walk.template left_behind<1>(),
                              walk.template left_behind<2>(), walk.template left_behind<3>()};
    pixel<0, edge>(enters[0], leaves[0], t, reach, lines);
    pixel<1, edge>(enters[1], leaves[1], t, reach, lines);
    pixel<2, edge>(enters[2], leaves[2], t, reach, lines);
    pixel<3, edge>(enters[3], leaves[3], t, reach, lines);
    walk.advance();
  }

  __device__ void keep_remaining(int lane, const SliceLines<ScoredRow>& lines) const {
    Kept* to = lines.remaining + slice_displacements - 4 - 4 * lane;
    to[0] = right_[0];
    to[1] = right_[3];
    to[2] = right_[2];
    to[3] = right_[1];
  }

  static __device__ bool found(const Best& best) { return best.order != nothing; }
  static __device__ bool found(const Kept& kept) { return kept.order != nothing; }
  static __device__ int slot(const Best& best) { return static_cast<int>(best.slot); }
  static __device__ Score score(const Best& best) { return best.order; }
  static __device__ double value(Score order) { return Orders::value(order); }

  /// Replaces the best of right pixel (x, y) by `kept` if that is better, or equal with a smaller
  /// displacement.
  static __device__ void merge(const BlockEnergies& energies, unsigned long long* best, int64_t x,
                               int64_t y, const Kept& kept, int slice) {
    const unsigned d = slice_displacements * slice + kept.slot;
    if constexpr (measure == Measure::ssd) {
      atomicMin(best, static_cast<unsigned long long>(kept.order) << 32 | d);
    } else {
      const unsigned long long mine = static_cast<unsigned long long>(kept.sum) << 32 | d;
      unsigned long long seen = ~0ULL;
      while (true) {
        const unsigned long long old = atomicCAS(best, seen, mine);
        if (old == seen) return;
        seen = old;
        const auto other = static_cast<unsigned>(seen);
        const Score order =
            Orders::at(energies, static_cast<unsigned>(seen >> 32), x + other, x, y);
        if (order < kept.order || (order == kept.order && other < d)) return;
      }
    }
  }

 private:
  __device__ void add(const Column& sums) {
    sum_[0] += sums.x;
    sum_[1] += sums.y;
    sum_[2] += sums.z;
    sum_[3] += sums.w;
  }
  template <int i, bool edge>
  __device__ void pixel(const Column& enters, const Column& leaves, int t, const SliceReach& reach,
                        const SliceLines<ScoredRow>& lines) {
    sum_[0] += enters.x - leaves.x;
    sum_[1] += enters.y - leaves.y;
    sum_[2] += enters.z - leaves.z;
    sum_[3] += enters.w - leaves.w;
    Score order[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool exists = edge ? reach.opened(k, t + i) && t + i < reach.end : k < reach.slots;
      const Score missing = exists ? 0 : nothing;
      order[k] = orders_.template of<i>(k, sum_[k]) | missing;
    }
    const Best best = least_of_warp(order);
    if constexpr (subpixel) keep_beside(order, static_cast<int>(best.slot), t + i, lines);
    Kept passed{nothing, 0, 0};
    if constexpr (checked) passed = pass_right<i>(order);
    if (threadIdx.x % 32 == 0) lines.entries[t + i] = {best, passed};
  }

  /// Returns the best order of all slots and its slot; among equal orders the first slot.
  static __device__ Best least_of_warp(const Score (&order)[4]) {
    Best own{order[0], 0};
#pragma unroll
    for (unsigned k = 1; k < 4; ++k) {
      if (order[k] < own.order) own = {order[k], k};
    }
    const Score least = warp_least(own.order);
    const unsigned slot = threadIdx.x % 32 * 4 + own.slot;
    return {least, warp_least(own.order == least ? slot : slice_displacements - 1U)};
  }

  /// Updates the best of the right pixels, as KeyRow::pass_right does.
  template <int i>
  __device__ Kept pass_right(const Score (&order)[4]) {
    constexpr int first = (4 - i) % 4;
    const unsigned lane = threadIdx.x % 32;
    const int from = static_cast<int>(lane + 31);
    Kept passed;
    passed.order = __shfl_sync(0xffffffff, right_[first].order, from);
    passed.slot = __shfl_sync(0xffffffff, right_[first].slot, from);
    passed.sum = measure == Measure::ssd ? 0 : __shfl_sync(0xffffffff, right_[first].sum, from);
    right_[first] = passed;
    if (lane == 0) right_[first].order = nothing;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      Kept& kept = right_[(k + first) % 4];
      if (order[k] < kept.order) kept = {order[k], 4 * lane + static_cast<unsigned>(k), sum_[k]};
    }
    return passed;
  }

  /// Keeps the scores on both sides of the best one; they may be in other lanes.
  static __device__ void keep_beside(const Score (&order)[4], int best, int column,
                                     const SliceLines<ScoredRow>& lines) {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < 4; ++k) lines.scores[4 * lane + static_cast<unsigned>(k)] = order[k];
    __syncwarp();
    if (lane == 0) lines.keep_beside(best, column);
    __syncwarp();
  }

  Orders orders_;
  unsigned sum_[4];
  Kept right_[4];
};

}  // namespace warpwise::kernels::disparity
