#pragma once

#include "tile.cuh"

// A thread's group of candidates, 4 wide and ROWS high, and its sums.
namespace warpwise::ladders {

/// The words that start at bytes 0 to 3 of a word and end in its neighbour: one for each of four
/// adjacent candidates.
struct Shifts {
  unsigned at[4];
};

template <bool last>
__device__ inline Shifts load_shifts(const unsigned* word, unsigned mask) {
  const unsigned low = word[0];
  const unsigned high = word[1];
  Shifts shifts{{low, __funnelshift_r(low, high, 8), __funnelshift_r(low, high, 16),
                 __funnelshift_r(low, high, 24)}};
  if constexpr (last) {
    for (unsigned& shifted : shifts.at) shifted &= mask;
  }
  return shifts;
}

struct Group {
  unsigned sums[ROWS][4] = {};

  /// Adds a column of the block, a word wide, for all candidates. A target row, loaded once, serves
  /// ROWS rows of candidates. Rows in use stay in registers, and a new row overwrites the oldest.
  /// The loop is unrolled by ROWS, so that the index of each register is constant.
  template <bool last>
  __device__ void add_column(const unsigned* block, int block_pitch, const unsigned* area,
                             int area_pitch, int rows, unsigned mask) {
    Shifts window[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS - 1; ++i) window[i] = load_shifts<last>(area + i * area_pitch, mask);
    area += (ROWS - 1) * area_pitch;
    for (int y = 0; y < rows; y += ROWS) {
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        if (y + i >= rows) break;
        const unsigned a = last ? *block & mask : *block;
        window[(i + ROWS - 1) % ROWS] = load_shifts<last>(area, mask);
        block += block_pitch;
        area += area_pitch;
#pragma unroll
        for (int k = 0; k < 4 * ROWS; ++k) {
          unsigned& sum = sums[k / 4][k % 4];
          sum = add_differences(a, window[(i + k / 4) % ROWS].at[k % 4], sum);
        }
      }
    }
  }

  /// Adds `rows` rows of the block.
  __device__ void add_rows(const unsigned* block, const unsigned* area, int area_pitch, int size,
                           int rows) {
    const int block_pitch = (size + 3) / 4;
    for (int x = 0; x < size / 4; ++x) {
      add_column<false>(block + x, block_pitch, area + x, area_pitch, rows, 0);
    }
    if (size % 4 != 0) {
      add_column<true>(block + size / 4, block_pitch, area + size / 4, area_pitch, rows,
                       last_word_mask(size));
    }
  }
};

/// Returns the pitch of the area in words. Threads of a warp whose groups lie below one another
/// read BLOCK_X words each, from rows ROWS apart. Padding puts these words in different banks: for
/// rows 4 apart, the pitch is BLOCK_X / 4 modulo 8.
template <bool padded>
__device__ inline int area_pitch(int size) {
  static_assert(!padded || (ROWS == 4 && BLOCK_X % 4 == 0));
  const int words = (size + 3) / 4 + BLOCK_X;
  if constexpr (padded) {
    return words + ((BLOCK_X / 4 - words) & 7);
  } else {
    return words;
  }
}

}  // namespace warpwise::ladders
