// Idea: displacements lie in the lanes. A warp holds 128 of them, four a lane, and walks along the
//   rows of its tile. One packed instruction computes four differences. Column sums of a block's
//   height slide down in shared memory. Sums over blocks slide along the row in registers, as pairs
//   of 16 bits. A key is sum · 128 + displacement; a pixel's best is the least key of all lanes.
//   With BOTH the same walk also serves the right pixels. A right pixel's displacement grows by one
//   with each left column. Its least key so far therefore moves to the next register, and every
//   fourth column to the next lane.
// Expected: a quarter of the instructions for differences. Copies of the images have borders, so
//   pixels need no clamped addresses. In exchange each pixel needs a minimum over the lanes. With
//   BOTH, differences, sums and their traffic are needed once, not twice.
// Next limit: instructions. Each pixel unpacks 16-bit sums to compute keys. Each warp also computes
//   a block's width of columns beside its tile. Each strip of 32 rows begins with a block's height
//   of rows that only fill the column sums.
#include "padded.cuh"
#include "warpwise/primitives/disparity/terms.cuh"
#include "warpwise/primitives/disparity/warp_least.cuh"

using namespace warpwise::ladders;
using Terms = warpwise::kernels::disparity::ColumnTerms<warpwise::Measure::sad>;
using Walk = warpwise::kernels::disparity::ColumnWalk<warpwise::Measure::sad, 32>;
using warpwise::kernels::disparity::RowWords;
using warpwise::kernels::disparity::warp_least;

constexpr int strip_height = 32;
constexpr unsigned none = 0xffffffffu;

extern __shared__ uint2 columns[];

/// With BOTH: the least sum · 128 + displacement so far of each right pixel.
__device__ unsigned* right_keys(const DisparityProblem& p) {
  // The keys follow the left pixels' best displacements, at a multiple of 4 bytes.
  return reinterpret_cast<unsigned*>(left_best(p) + (p.width * p.height + 1) / 2 * 2);
}

/// Least keys so far of right pixels x − d; x is the warp's column, d the lane's displacement k.
struct RightPixels {
  unsigned* row;
  unsigned key[4] = {none, none, none, none};

  /// Moves on to column x of the left image and takes the keys of that column.
  __device__ void take(const unsigned (&keys)[4], int x) {
    const int lane = static_cast<int>(threadIdx.x);
    if (lane == 31) give(3, x - 1);
    const unsigned passed = __shfl_up_sync(0xffffffffu, key[3], 1);
#pragma unroll
    for (int k = 3; k > 0; --k) key[k] = min(key[k - 1], keys[k]);
    key[0] = lane == 0 ? keys[0] : min(passed, keys[0]);
  }
  /// Merges the least key of right pixel x − d into memory; d is the lane's displacement k.
  __device__ void give(int k, int x) const {
    if (key[k] != none) atomicMin(row + x - 4 * static_cast<int>(threadIdx.x) - k, key[k]);
  }
};

/// A tile's position, and the values that its rows share.
template <bool mirrored>
struct Tile {
  const DisparityProblem& p;
  PaddedCopies padded;
  int lane, left, top, end, lead, lead_groups, skipped;
  int word;

  __device__ explicit Tile(const DisparityProblem& problem) : p(problem), padded(problem) {
    const int across = (p.width + tile_width - 1) / tile_width;
    lane = static_cast<int>(threadIdx.x);
    left = static_cast<int>(blockIdx.x) % across * tile_width;
    top = static_cast<int>(blockIdx.x) / across * strip_height;
    end = min(left + tile_width, p.width);
    // Number of columns before the first one that completes a block. They are read in groups of
    // four that end before that column. The first `skipped` columns of the first group, 0 or 2, are
    // not needed.
    lead = 2 * p.half;
    lead_groups = (lead + 3) / 4;
    skipped = 4 * lead_groups - lead;
    word = (padded.origin + left) / 4 - lead_groups;
  }
  __device__ const unsigned* left_words(int row) const {
    return reinterpret_cast<const unsigned*>(padded.row(mirrored ? 2 : 0, row)) + word;
  }
  __device__ const unsigned* right_words(int row) const {
    return reinterpret_cast<const unsigned*>(padded.row(mirrored ? 3 : 1, row)) + word - lane;
  }

  /// Fills the sums for the first row with all rows of its blocks but the last, and with the row
  /// above. The first row's slide adds the last row and subtracts the row above.
  __device__ void fill() const {
    columns[lane] = {0, 0};  // zeros to subtract before the first column leaves
    const int groups = lead_groups + (end - left + 3) / 4;
    for (int g = 0; g < groups; ++g) {
      uint2 sums[4] = {};
      for (int row = top; row <= top + lead; ++row) {
        RowWords words;
        words.left = left_words(row)[g];
        words.right = right_words(row)[g];
        words.right_before = right_words(row)[g - 1];
        Terms::add<0>(sums[0], words);
        Terms::add<1>(sums[1], words);
        Terms::add<2>(sums[2], words);
        Terms::add<3>(sums[3], words);
      }
      for (int i = 0; i < 4; ++i) {
        const int column = 4 * g + i - skipped;
        if (column >= 0) columns[(1 + column) * 32 + lane] = sums[i];
      }
    }
  }

  /// Computes the lane's four keys of column x from 16-bit sums. The low halves of sums.x and
  /// sums.y are those of displacements 3 and 2, the high halves those of 1 and 0.
  __device__ void keys(uint2 sums, int x, unsigned (&key)[4]) const {
    const unsigned sum[4] = {sums.y >> 16, sums.x >> 16, sums.y & 0xffff, sums.x & 0xffff};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int d = 4 * lane + k;
      const bool exists = d < p.count && d <= x && x < end;
      key[k] = exists ? sum[k] * displacements + static_cast<unsigned>(d) : none;
    }
  }

  __device__ void row(int y) const {
    Walk walk(columns + (1 - skipped) * 32 + lane, lead + 1);
    walk.entering.start(left_words(y + lead + 1), right_words(y + lead + 1));
    walk.leaving.start(left_words(y), right_words(y));
    uint2 sums = {0, 0};
    const auto add = [&](uint2 column) {
      sums.x += column.x;
      sums.y += column.y;
    };
    for (int g = 0; g < lead_groups; ++g) {
      if (g > 0 || skipped == 0) {
        add(walk.slide<0>());
        add(walk.slide<1>());
      }
      add(walk.slide<2>());
      add(walk.slide<3>());
      walk.advance();
    }
    short* const best = best_of<!mirrored>(p) + y * p.width;
    RightPixels right{right_keys(p) + y * p.width};
    int x = left;
    for (; x < end; x += 4) {
      const uint2 enters[4] = {walk.slide<0>(), walk.slide<1>(), walk.slide<2>(), walk.slide<3>()};
      const uint2 leaves[4] = {walk.left_behind<0>(), walk.left_behind<1>(), walk.left_behind<2>(),
                               walk.left_behind<3>()};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        // Borrows between the halves cancel: each half of the result fits its 16 bits.
        sums.x += enters[i].x - leaves[i].x;
        sums.y += enters[i].y - leaves[i].y;
        unsigned key[4];
        keys(sums, x + i, key);
        const unsigned least = warp_least(min(min(key[0], key[1]), min(key[2], key[3])));
        if (lane == 0 && x + i < end) {
          const int at = mirrored ? p.width - 1 - x - i : x + i;
          best[at] = static_cast<short>(least % displacements);
        }
        if constexpr (BOTH == 1) right.take(key, x + i);
      }
      walk.advance();
    }
    if constexpr (BOTH == 1) {
#pragma unroll
      for (int k = 0; k < 4; ++k) right.give(k, x - 1);
    }
  }
};

template <bool mirrored>
__device__ void sweep(const DisparityProblem& p) {
  const Tile<mirrored> tile(p);
  tile.fill();
  const int bottom = min(tile.top + strip_height, p.height);
  for (int y = tile.top; y < bottom; ++y) tile.row(y);
}

extern "C" __global__ void copies(DisparityProblem p) {
  if constexpr (BOTH == 1) {
    const int threads = static_cast<int>(gridDim.x * blockDim.x);
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < p.width * p.height;
         i += threads) {
      right_keys(p)[i] = none;
    }
  }
  pad(p, BOTH == 1 ? 2 : 4);
}

extern "C" __global__ void from_left(DisparityProblem p) { sweep<false>(p); }
extern "C" __global__ void from_right(DisparityProblem p) { sweep<true>(p); }

extern "C" __global__ void check_keys(DisparityProblem p) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= p.width * p.height) return;
  const int d = left_best(p)[i];
  write_checked(p, i, d, static_cast<int>(right_keys(p)[i - d] % displacements));
}
