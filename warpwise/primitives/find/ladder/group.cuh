#pragma once

#include "tile.cuh"

// A thread's group of places, 4 wide and ROWS high, and its sums.
namespace warpwise::ladders {

/// Four adjacent pixels of the image for each of four adjacent places: at[i] holds bytes i to i + 3
/// of two adjacent words in shared memory.
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
  unsigned pairs[ROWS][4] = {};
  OwnSums templ;
  OwnSums image[ROWS][4];

  __device__ void add(int row, int column, unsigned a, unsigned b) {
    add_pairs(pairs[row][column], a, b);
    if constexpr (with_own_sums && !SUMS) image[row][column].add_word(b);
  }

  /// Adds a column of the template, a word wide, at all places. Each loaded row of the image serves
  /// ROWS rows of places. Rows in use stay in registers, and a new row overwrites the oldest. The
  /// loop is unrolled by ROWS, so that the index of each register is constant.
  template <bool last>
  __device__ void add_column(const unsigned* a, int a_pitch, const unsigned* area, int area_pitch,
                             int rows, unsigned mask) {
    Shifts window[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS - 1; ++i) window[i] = load_shifts<last>(area + i * area_pitch, mask);
    area += (ROWS - 1) * area_pitch;
    for (int y = 0; y < rows; y += ROWS) {
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        if (y + i >= rows) break;
        window[(i + ROWS - 1) % ROWS] = load_shifts<last>(area, mask);
        if constexpr (with_own_sums && !SUMS) templ.add_word(*a);
#pragma unroll
        for (int k = 0; k < 4 * ROWS; ++k) {
          add(k / 4, k % 4, *a, window[(i + k / 4) % ROWS].at[k % 4]);
        }
        a += a_pitch;
        area += area_pitch;
      }
    }
  }

  /// Adds the whole template, part by part. All threads of the tile of 4 · BLOCK_X by
  /// ROWS · BLOCK_Y places must call it.
  __device__ void add_template(const FindProblem& p, const Tile& tile, unsigned* shared) {
    Words part(p, shared, BLOCK_X);
    const unsigned* area = part.area + ROWS * threadIdx.y * part.area_words + threadIdx.x;
    for (int first = 0; first < p.side; first += PART_ROWS) {
      const int rows = min(p.side - first, PART_ROWS);
      part.load(p, tile, first, rows, ROWS * BLOCK_Y - 1);
      for (int x = 0; x < p.side / 4; ++x) {
        add_column<false>(part.templ + x, part.templ_words, area + x, part.area_words, rows, 0);
      }
      if (p.side % 4 != 0) {
        const int x = p.side / 4;
        add_column<true>(part.templ + x, part.templ_words, area + x, part.area_words, rows,
                         last_word_mask(p.side));
      }
    }
  }

  /// Calls use(place, score) for each of the group's places.
  template <class Use>
  __device__ void use_scores(const FindProblem& p, const Tile& tile, Use use) const {
    const RunningSums known(p);
#pragma unroll
    for (int k = 0; k < 4 * ROWS; ++k) {
      const long long x = tile.x + 4 * threadIdx.x + k % 4;
      const long long y = tile.y + ROWS * threadIdx.y + k / 4;
      if (x >= p.columns || y >= p.rows) continue;
      const long long place = y * p.columns + x;
      const unsigned sum = pairs[k / 4][k % 4];
      if constexpr (SUMS) {
        use(place, score_of(p, sum, *known.templ, known.windows[place]));
      } else {
        use(place, score_of(p, sum, templ, image[k / 4][k % 4]));
      }
    }
  }
};

}  // namespace warpwise::ladders
