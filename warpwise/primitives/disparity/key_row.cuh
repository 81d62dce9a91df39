#pragma once

#include "warpwise/primitives/disparity/energy.cuh"
#include "warpwise/primitives/disparity/slice.cuh"
#include "warpwise/primitives/disparity/terms.cuh"
#include "warpwise/primitives/disparity/warp_least.cuh"

// nvcc and NVRTC compile this file; it includes no host headers itself.
namespace warpwise::kernels::disparity {

/// Adds 128 times one half of a 16-bit pair to `sum`: the low half if `which` is 0x80, the high
/// half if it is 0x8000. subtract_half() takes 0x80 as a signed byte, −128, and therefore
/// subtracts.
__device__ inline unsigned add_half(unsigned sum, unsigned pair, unsigned which) {
  asm("dp2a.lo.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(pair), "r"(which));
  return sum;
}
__device__ inline unsigned subtract_half(unsigned sum, unsigned pair, unsigned which) {
  asm("dp2a.lo.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(pair), "r"(which));
  return sum;
}

/// A lane's four keys, each 128 · (sum over the image block) + slot, below 2^31. The least is best.
/// Bit 31 marks a slot without a score: it is not tried, or its pixel is outside the image.
template <Measure measure, int lanes>
class Keys {
 public:
  static constexpr unsigned nothing = 0x80000000;

  __device__ explicit Keys(const SliceReach& reach) {
    const unsigned slot = threadIdx.x % 32 * 4;
#pragma unroll
    for (int k = 0; k < 4; ++k) key_[k] = (slot + k) | (reach.opened(k, 0) ? 0 : nothing);
  }
  __device__ unsigned operator[](int k) const { return key_[k]; }

  /// Adds the entering column and subtracts the leaving one.
  __device__ void slide(uint2 enters, uint2 leaves) {
    add(enters);
    key_[0] = subtract_half(key_[0], leaves.y, 0x8000);
    key_[1] = subtract_half(key_[1], leaves.x, 0x8000);
    key_[2] = subtract_half(key_[2], leaves.y, 0x80);
    key_[3] = subtract_half(key_[3], leaves.x, 0x80);
  }
  __device__ void add(uint2 enters) {
    key_[0] = add_half(key_[0], enters.y, 0x8000);
    key_[1] = add_half(key_[1], enters.x, 0x8000);
    key_[2] = add_half(key_[2], enters.y, 0x80);
    key_[3] = add_half(key_[3], enters.x, 0x80);
  }
  __device__ void slide(uint4 enters, uint4 leaves) {
    add({enters.x - leaves.x, enters.y - leaves.y, enters.z - leaves.z, enters.w - leaves.w});
  }
  __device__ void add(uint4 enters) {
    // The keys of a lane without columns stay unchanged.
    const unsigned factor = lanes == 32 || threadIdx.x % 32 < lanes ? slice_displacements : 0;
    key_[0] += factor * enters.x;
    key_[1] += factor * enters.y;
    key_[2] += factor * enters.z;
    key_[3] += factor * enters.w;
  }

  /// Updates bit 31 of the keys at tile column t + i. Clears it if the right pixel of the lane's
  /// slot i enters the image there. Sets it for all slots at the first column beyond the image.
  template <int i>
  __device__ void meet_edge(int t, const SliceReach& reach) {
    if (t == reach.opens && t + i > 0 && i < reach.slots) key_[i] -= nothing;
#pragma unroll
    for (int k = 0; k < 4; ++k) key_[k] |= t + i == reach.end ? nothing : 0;
  }

 private:
  unsigned key_[4];
};

/// A row of sums that fit keys: absolute differences of any block, squares of blocks up to 15×15.
template <Measure measure, bool checked, bool subpixel, int lanes>
class KeyRow {
 public:
  using Terms = ColumnTerms<measure>;
  using Column = typename Terms::Sums;
  using Score = unsigned;
  using Kept = unsigned;  ///< a key
  struct alignas(8) Entry {
    unsigned left;   ///< best key of the left pixel
    unsigned right;  ///< best key of the right pixel that has just passed the slice's last slot
  };
  static constexpr bool refines = subpixel;
  static constexpr int unrolled = 2;
  static constexpr unsigned nothing = Keys<measure, lanes>::nothing;

  ColumnWalk<measure, lanes> walk;

  __device__ KeyRow(const BlockEnergies&, const SliceReach& reach, int64_t, int64_t, Column* first,
                    int columns_back)
      : walk(first, columns_back), keys_(reach), right_{~0U, ~0U, ~0U, ~0U} {}

  /// Adds four columns that do not complete a block yet; with `half` only the last two of them.
  __device__ void lead(bool half) {
    if (!half) {
      keys_.add(walk.template slide<0>());
      keys_.add(walk.template slide<1>());
    }
    keys_.add(walk.template slide<2>());
    keys_.add(walk.template slide<3>());
    walk.advance();
  }

  /// Processes four pixels, from tile column t on. `edge` is true near the image's edges, where
  /// right pixels of some slots do not exist or columns are beyond the image.
  template <bool edge>
  __device__ void group(int t, const SliceReach& reach, const SliceLines<KeyRow>& lines) {
    const Column enters[4] = {walk.template slide<0>(), walk.template slide<1>(),
                              walk.template slide<2>(), walk.template slide<3>()};
    const Column leaves[4] = {walk.template left_behind<0>(), walk.template left_behind<1>(),
                              walk.template left_behind<2>(), walk.template left_behind<3>()};
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
    walk.advance();
  }

  __device__ void keep_remaining(int lane, const SliceLines<KeyRow>& lines) const {
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
  template <int i, bool edge>
  __device__ Entry pixel(Column enters, Column leaves, int t, const SliceReach& reach,
                         const SliceLines<KeyRow>& lines) {
    keys_.slide(enters, leaves);
    if constexpr (edge) keys_.template meet_edge<i>(t, reach);
    const unsigned best = warp_least(min(min(keys_[0], keys_[1]), min(keys_[2], keys_[3])));
    if constexpr (subpixel) keep_beside(slot(best), t + i, lines);
    return {best, checked ? pass_right<i>() : 0};
  }

  /// Updates right pixels' best keys. A right pixel's slot grows by one with each left pixel. Its
  /// key stays in a register, right_[(k − i) mod 4] for the lane's slot k, until it enters the next
  /// lane. In lane 0, returns the key of the right pixel that has just passed the last slot.
  template <int i>
  __device__ unsigned pass_right() {
    constexpr int first = (4 - i) % 4;
    const unsigned lane = threadIdx.x % 32;
    const unsigned passed = __shfl_sync(0xffffffff, right_[first], static_cast<int>(lane + 31));
    right_[first] = lane == 0 ? ~0U : passed;
#pragma unroll
    for (int k = 0; k < 4; ++k) right_[(k + first) % 4] = min(right_[(k + first) % 4], keys_[k]);
    return passed;
  }

  /// Keeps the scores on both sides of the best one; they may be in other lanes.
  __device__ void keep_beside(int best, int column, const SliceLines<KeyRow>& lines) const {
    const unsigned lane = threadIdx.x % 32;
    reinterpret_cast<uint4*>(lines.scores)[lane] = {
        score(keys_[0] & ~nothing), score(keys_[1] & ~nothing), score(keys_[2] & ~nothing),
        score(keys_[3] & ~nothing)};
    __syncwarp();
    if (lane == 0) lines.keep_beside(best, column);
    __syncwarp();
  }

  Keys<measure, lanes> keys_;
  unsigned right_[4];
};

}  // namespace warpwise::kernels::disparity
