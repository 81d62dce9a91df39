#pragma once

#include "warpwise/primitives/disparity/arguments.hpp"
#include "warpwise/primitives/disparity/energy.cuh"
#include "warpwise/primitives/disparity/subpixel.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/shared/matching.hpp"
#include "warpwise/primitives/shared/unaligned.cuh"

// disparity by tiles, one displacement after the other. nvcc and NVRTC compile this file; it
// includes no host headers itself.
namespace warpwise::kernels::disparity {

struct DifferenceTerm {
  static __device__ unsigned of(unsigned a, unsigned b) { return a > b ? a - b : b - a; }
};
struct SquareTerm {
  static __device__ unsigned of(unsigned a, unsigned b) { return (a - b) * (a - b); }
};
struct ProductTerm {
  static __device__ unsigned of(unsigned a, unsigned b) { return a * b; }
};
/// The tile's row and the first of the disparity_run columns that this thread scores. Neighbouring
/// threads take neighbouring rows, whose sums are in different banks of shared memory.
struct TilePlace {
  int row = static_cast<int>(threadIdx.x) % disparity_tile_height;
  int column = static_cast<int>(threadIdx.x) / disparity_tile_height * disparity_run;
};

/// Computes the sums of Term over the blocks around this thread's pixels of the tile at (tile_x,
/// tile_y), with the search image moved right by `shift`. Coordinates beyond the padded images are
/// clamped. All threads of the block must call it; `columns` may be reused afterwards.
template <class Term>
__device__ void block_sums(const PaddedPair& p, int64_t tile_x, int64_t tile_y, int shift,
                           unsigned* columns, unsigned (&sums)[disparity_run]) {
  const int stride = disparity_sums_stride(p.half);
  const int64_t last_x = p.width + 2 * p.half - 1;
  const int last_row = static_cast<int>(
      min(p.height + 2 * p.half - 1 - tile_y, int64_t{disparity_tile_height + 2 * p.half - 1}));
  // Each thread slides a sum down a run of rows, in one column after the other.
  const int top = static_cast<int>(threadIdx.x) / disparity_tile_width * disparity_run;
  for (int c = static_cast<int>(threadIdx.x) % disparity_tile_width;
       c < disparity_tile_width + 2 * p.half; c += disparity_tile_width) {
    const int64_t searched = min(max(tile_x + c - shift, int64_t{0}), last_x);
    const unsigned char* base = p.base + tile_y * p.pitch + min(tile_x + c, last_x);
    const unsigned char* search = p.search + tile_y * p.pitch + searched;
    const auto term = [&](int row) {
      const int64_t offset = min(row, last_row) * p.pitch;
      return Term::of(base[offset], search[offset]);
    };
    unsigned sum = 0;
    for (int j = 0; j <= 2 * p.half; ++j) sum += term(top + j);
    columns[top * stride + c] = sum;
#pragma unroll
    for (int k = 1; k < disparity_run; ++k) {
      sum += term(top + k + 2 * p.half) - term(top + k - 1);
      columns[(top + k) * stride + c] = sum;
    }
  }
  __syncthreads();
  const TilePlace place;
  const unsigned* row = columns + place.row * stride + place.column;
  unsigned sum = 0;
  for (int i = 0; i <= 2 * p.half; ++i) sum += row[i];
  sums[0] = sum;
#pragma unroll
  for (int k = 1; k < disparity_run; ++k) {
    sum += row[k + 2 * p.half] - row[k - 1];
    sums[k] = sum;
  }
  __syncthreads();
}

template <Measure measure>
struct MeasureTraits {
  using Score = double;
  using Term = ProductTerm;
};
template <>
struct MeasureTraits<Measure::sad> {
  using Score = unsigned;
  using Term = DifferenceTerm;
};
template <>
struct MeasureTraits<Measure::ssd> {
  using Score = unsigned;
  using Term = SquareTerm;
};

/// The best candidate of a pixel so far, and the scores beside it.
template <Measure measure>
struct Best {
  using Score = typename MeasureTraits<measure>::Score;
  Score score = 0, before = 0, after = 0, previous = 0;
  int displacement = -1;

  /// Takes the next score; the calls must be for displacements 0, 1, … in order.
  __device__ void take(int d, Score s) {
    if (displacement < 0 || (least_is_best(measure) ? s < score : s > score)) {
      before = previous;
      score = s;
      displacement = d;
    } else if (d == displacement + 1) {
      after = s;
    }
    previous = s;
  }
};

/// Computes the score of pixel (x, y) against (candidate, y) from the sum of the measure's term.
template <Measure measure>
__device__ typename MeasureTraits<measure>::Score score_of(const MatchArguments& a, unsigned sum,
                                                           int64_t x, int64_t candidate,
                                                           int64_t y) {
  if constexpr (least_is_best(measure)) {
    return sum;
  } else {
    const BlockEnergies& e = a.energies;
    const int base = a.direction > 0 ? 0 : 1, search = 1 - base;
    const int64_t at = e.at(x, y), to = e.at(candidate, y);
    if constexpr (measure == Measure::ncc) {
      return ncc_score(sum, e.squares[base][at], e.squares[search][to]);
    } else {
      return zncc_score(e.pixels, e.totals[base][at], e.totals[search][to], sum,
                        e.squares[base][at], e.squares[search][to]);
    }
  }
}

/// Number of thread blocks that must share a multiprocessor's 64 Ki registers. For ncc and zncc it
/// is one, because their doubles need more than half of the registers.
template <Measure measure>
inline constexpr int disparity_blocks = least_is_best(measure) ? 2 : 1;

/// Grid: x over tiles, y strides over rows of tiles. Dynamic shared memory: the column sums.
template <Measure measure>
__global__ void __launch_bounds__(disparity_threads, disparity_blocks<measure>)
    disparity_match_kernel(MatchArguments a) {
  extern __shared__ unsigned columns[];
  const PaddedPair& p = a.images;
  const TilePlace place;
  const int64_t tile_x = int64_t{blockIdx.x} * disparity_tile_width;
  // Largest number of displacements that a pixel of the tile can have.
  const int64_t room =
      a.direction > 0 ? min(tile_x + disparity_tile_width, p.width) : p.width - tile_x;
  const int tile_candidates = static_cast<int>(min(int64_t{a.candidates}, room));
  wait_for_launch();
  for (int64_t tile_y = int64_t{blockIdx.y} * disparity_tile_height; tile_y < p.height;
       tile_y += int64_t{gridDim.y} * disparity_tile_height) {
    const int64_t y = tile_y + place.row;
    Best<measure> best[disparity_run];
    for (int d = 0; d < tile_candidates; ++d) {
      unsigned sums[disparity_run];
      block_sums<typename MeasureTraits<measure>::Term>(p, tile_x, tile_y, a.direction * d, columns,
                                                        sums);
#pragma unroll
      for (int k = 0; k < disparity_run; ++k) {
        const int64_t x = tile_x + place.column + k;
        const int64_t candidate = x - a.direction * d;
        if (x >= p.width || y >= p.height || candidate < 0 || candidate >= p.width) continue;
        best[k].take(d, score_of<measure>(a, sums[k], x, candidate, y));
      }
    }
#pragma unroll
    for (int k = 0; k < disparity_run; ++k) {
      const int64_t x = tile_x + place.column + k;
      if (x >= p.width || y >= p.height) continue;
      const int d = best[k].displacement;
      a.best[y * p.width + x] = static_cast<short>(d);
      if (a.value == nullptr) continue;
      const bool inside = d > 0 && d + 1 < a.candidates && x - d > 0;
      store_float(a.value + y * a.value_pitch + 4 * x,
                  a.subpixel && inside ? detail::disparity::refined(measure, d, best[k].before,
                                                                    best[k].score, best[k].after)
                                       : static_cast<float>(d));
    }
  }
}

}  // namespace warpwise::kernels::disparity
