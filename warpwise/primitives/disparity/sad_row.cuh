#pragma once

#include "warpwise/primitives/disparity/energy.cuh"
#include "warpwise/primitives/disparity/row_words.cuh"
#include "warpwise/primitives/disparity/slice.cuh"
#include "warpwise/primitives/disparity/warp_least.cuh"

// Fit for nvcc and NVRTC: no host headers of their own.
namespace warpwise::kernels::disparity {

/// sum plus one half of a pair of 16 bits times 128: the low half for which = 0x80, the high one
/// for 0x8000. And sum less that: as a signed byte 0x80 is −128.
__device__ inline unsigned add_half(unsigned sum, unsigned pair, unsigned which) {
  asm("dp2a.lo.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(pair), "r"(which));
  return sum;
}
__device__ inline unsigned subtract_half(unsigned sum, unsigned pair, unsigned which) {
  asm("dp2a.lo.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(pair), "r"(which));
  return sum;
}

/// A row of sums of absolute differences. The sum over a block is kept as the key that the best is
/// found by, 128 times the sum plus the slot: below 2^31 for a block of 255. Slots that do not
/// exist have 2^31 on top.
template <bool checked, bool subpixel>
class SadRow {
 public:
  /// Sums over a column, at most 255 · 255, as pairs of 16 bits: of slots 3 and 1, of 2 and 0.
  using Column = uint2;
  using Score = unsigned;
  using Kept = unsigned;  ///< a key
  struct alignas(8) Entry {
    unsigned left;   ///< the key of a left pixel
    unsigned right;  ///< that of the right pixel which left the slice
  };
  static constexpr bool refines = subpixel;
  static constexpr bool separate_edges = true;
  static constexpr unsigned nothing = 0x80000000;

  RowWords entering, leaving;

  __device__ SadRow(const BlockEnergies&, const SliceReach& reach, int64_t, int64_t, Column* first,
                    int columns_back)
      : column_(first), back_(columns_back) {
    const unsigned slot = threadIdx.x % 32 * 4;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      key_[k] = (slot + k) | (reach.opened(k, 0) ? 0 : nothing);
      right_[k] = ~0U;
    }
  }

  /// Adds a row's term of column i of four.
  template <int i>
  static __device__ void grow(Column& sums, const RowWords& words) {
    const unsigned differences = words.differences<i>();
    sums.x += even(differences);
    sums.y += odd(differences);
  }

  /// Four columns before the first that completes a block, or the last two of them.
  __device__ void lead(bool half) {
    if (!half) {
      add(slide<0>());
      add(slide<1>());
    }
    add(slide<2>());
    add(slide<3>());
    advance();
  }

  /// Four pixels, from tile column t on. At the edge of the image: with slots that open, and with
  /// columns beyond it.
  template <bool edge>
  __device__ void group(int t, const SliceReach& reach, const SliceLines<SadRow>& lines) {
    const Column enters[4] = {slide<0>(), slide<1>(), slide<2>(), slide<3>()};
    // Behind the stores: with small blocks these columns are among those.
    const Column* back = column_ - back_;
    const Column leaves[4] = {back[0], back[32], back[64], back[96]};
    Entry entries[4];
    entries[0] = pixel<0, edge>(enters[0], leaves[0], t, reach, lines);
    entries[1] = pixel<1, edge>(enters[1], leaves[1], t, reach, lines);
    entries[2] = pixel<2, edge>(enters[2], leaves[2], t, reach, lines);
    entries[3] = pixel<3, edge>(enters[3], leaves[3], t, reach, lines);
    if (threadIdx.x % 32 == 0) {
      auto* to = reinterpret_cast<uint4*>(lines.entries + t);
      to[0] = {entries[0].left, entries[0].right, entries[1].left, entries[1].right};
      to[1] = {entries[2].left, entries[2].right, entries[3].left, entries[3].right};
    }
    advance();
  }

  __device__ void keep_remaining(int lane, const SliceLines<SadRow>& lines) const {
    auto* to = reinterpret_cast<uint4*>(lines.remaining + slice_displacements - 4 - 4 * lane);
    *to = {right_[0], right_[3], right_[2], right_[1]};
  }

  static __device__ bool found(unsigned key) { return key < nothing; }
  static __device__ int slot(unsigned key) { return static_cast<int>(key % slice_displacements); }
  static __device__ unsigned score(unsigned key) { return key / slice_displacements; }
  static __device__ double value(unsigned score) { return score; }
  static __device__ void merge(const BlockEnergies&, unsigned long long* best, int64_t, int64_t,
                               unsigned key, int slice) {
    atomicMin(best, static_cast<unsigned long long>(score(key)) << 32 |
                        static_cast<unsigned>(slice_displacements * slice + slot(key)));
  }

 private:
  static __device__ unsigned even(unsigned bytes) { return bytes & 0x00ff00ff; }
  static __device__ unsigned odd(unsigned bytes) { return __byte_perm(bytes, 0, 0x4341); }

  /// Column i of the four, a row further down.
  template <int i>
  __device__ Column slide() {
    const unsigned enters = entering.template differences<i>();
    const unsigned leaves = leaving.template differences<i>();
    Column sums = column_[32 * i];
    sums.x += even(enters) - even(leaves);
    sums.y += odd(enters) - odd(leaves);
    column_[32 * i] = sums;
    return sums;
  }
  __device__ void add(Column sums) {
    key_[0] = add_half(key_[0], sums.y, 0x8000);
    key_[1] = add_half(key_[1], sums.x, 0x8000);
    key_[2] = add_half(key_[2], sums.y, 0x80);
    key_[3] = add_half(key_[3], sums.x, 0x80);
  }
  __device__ void subtract(Column sums) {
    key_[0] = subtract_half(key_[0], sums.y, 0x8000);
    key_[1] = subtract_half(key_[1], sums.x, 0x8000);
    key_[2] = subtract_half(key_[2], sums.y, 0x80);
    key_[3] = subtract_half(key_[3], sums.x, 0x80);
  }
  __device__ void advance() {
    entering.advance();
    leaving.advance();
    column_ += 4 * 32;
  }

  template <int i, bool edge>
  __device__ Entry pixel(Column enters, Column leaves, int t, const SliceReach& reach,
                         const SliceLines<SadRow>& lines) {
    add(enters);
    subtract(leaves);
    if constexpr (edge) {
      if (t == reach.opens && t + i > 0 && i < reach.slots) key_[i] -= nothing;
#pragma unroll
      for (int k = 0; k < 4; ++k) key_[k] |= t + i == reach.end ? nothing : 0;
    }
    const unsigned best = warp_least(min(min(key_[0], key_[1]), min(key_[2], key_[3])));
    if constexpr (subpixel) keep_beside(slot(best), t + i, lines);
    return {best, checked ? pass_right<i>() : 0};
  }

  /// Compares with the best of the right pixels, each a slot further on than a column before. The
  /// one of slot k is in right_[(k − i) mod 4]. Returns the one that has passed the last slot, to
  /// lane 0.
  template <int i>
  __device__ unsigned pass_right() {
    constexpr int first = (4 - i) % 4;
    const unsigned lane = threadIdx.x % 32;
    const unsigned passed = __shfl_sync(0xffffffff, right_[first], static_cast<int>(lane + 31));
    right_[first] = lane == 0 ? ~0U : passed;
#pragma unroll
    for (int k = 0; k < 4; ++k) right_[(k + first) % 4] = min(right_[(k + first) % 4], key_[k]);
    return passed;
  }

  /// Keeps the scores beside the best one, which other lanes may have.
  __device__ void keep_beside(int best, int column, const SliceLines<SadRow>& lines) const {
    const unsigned lane = threadIdx.x % 32;
    reinterpret_cast<uint4*>(lines.scores)[lane] = {
        score(key_[0] & ~nothing), score(key_[1] & ~nothing), score(key_[2] & ~nothing),
        score(key_[3] & ~nothing)};
    __syncwarp();
    if (lane == 0) lines.keep_beside(best, column);
    __syncwarp();
  }

  unsigned key_[4];
  unsigned right_[4];
  Column* column_;  ///< the first of the next four
  int back_;        ///< from a column to the one that leaves the block with it
};

}  // namespace warpwise::kernels::disparity
