#pragma once

#include "warpwise/primitives/disparity/arguments.hpp"
#include "warpwise/primitives/disparity/key_row.cuh"
#include "warpwise/primitives/disparity/scored_row.cuh"
#include "warpwise/primitives/disparity/subpixel.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/shared/matching.hpp"
#include "warpwise/primitives/shared/unaligned.cuh"

// The sweep finds the best displacements of both images' pixels in one pass. Fit for nvcc and
// NVRTC: includes no host headers itself.
//
// A thread block takes a tile of columns and a strip of rows. A warp has a slice of 128
// displacements, four a lane, and walks down the rows and along each row. For every displacement,
// shared memory holds sums over columns of an image block's height, which slide down by a row.
// Registers hold the sum over the image block, which slides along the row. The best of a left pixel
// is the minimum over the lanes. A right pixel's displacement grows by one with each left pixel.
// Its best so far therefore moves from lane to lane, and is compared with each lane's scores.
namespace warpwise::kernels::disparity {

template <Measure measure, bool keyed, bool checked, bool subpixel, int lanes>
struct SweepRow {
  using Type = ScoredRow<measure, checked, subpixel, lanes>;
};
template <Measure measure, bool checked, bool subpixel, int lanes>
struct SweepRow<measure, true, checked, subpixel, lanes> {
  using Type = KeyRow<measure, checked, subpixel, lanes>;
};

/// A slice's part of the shared memory of a block.
template <class Row, int lanes>
struct SliceMemory {
  /// this lane's column sums, `lanes` elements apart, after zeros for a column before the first
  typename Row::Column* columns;
  SliceLines<Row> lines;

  static __host__ __device__ constexpr int bytes(int half, int tile_width) {
    return column_bytes(half, tile_width) + SliceLines<Row>::bytes(tile_width);
  }
  static __host__ __device__ constexpr int column_bytes(int half, int tile_width) {
    return static_cast<int>(sizeof(typename Row::Column)) * lanes * (1 + 2 * half + tile_width);
  }
  __device__ SliceMemory(unsigned char* shared, int slice, int lane, int half, int tile_width)
      : columns(reinterpret_cast<typename Row::Column*>(shared + slice * bytes(half, tile_width)) +
                lane),
        lines(shared + slice * bytes(half, tile_width) + column_bytes(half, tile_width),
              tile_width) {}
};

/// Fills the column sums for the strip's first row: all rows of its blocks but the last, and the
/// row above them. The first row's slide adds the last row and subtracts the row above.
template <class Row, int lanes>
__device__ void fill_columns(typename Row::Column* columns, int first_column, int groups, int rows,
                             const unsigned* left, const unsigned* right, int64_t pitch) {
  for (int g = 0; g < groups; ++g) {
    typename Row::Column sums[4] = {};
    const unsigned* l = left + g;
    const unsigned* r = right + g;
#pragma unroll 4
    for (int j = 0; j < rows; ++j, l += pitch, r += pitch) {
      RowWords words;
      words.left = *l;
      words.right = *r;
      words.right_before = r[-1];
      Row::Terms::template add<0>(sums[0], words);
      Row::Terms::template add<1>(sums[1], words);
      Row::Terms::template add<2>(sums[2], words);
      Row::Terms::template add<3>(sums[3], words);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (first_column + 4 * g + i >= 0) columns[(1 + first_column + 4 * g + i) * lanes] = sums[i];
    }
  }
}

/// Writes the best displacements of the left image's pixels of one row of the tile.
template <Measure measure, class Row, bool subpixel, int lanes>
__device__ void write_left(const SweepArguments& a, unsigned char* shared, int64_t tile_x,
                           int64_t y) {
  const int slices = static_cast<int>(blockDim.x) / 32;
  for (int t = static_cast<int>(threadIdx.x); t < a.tile_width; t += static_cast<int>(blockDim.x)) {
    const int64_t x = tile_x + t;
    if (x >= a.width) break;
    using Score = typename Row::Score;
    Score score = 0, before = 0, after = 0, last = 0;
    int best = -1;
    for (int s = 0; s < slices; ++s) {
      const SliceLines<Row> lines =
          SliceMemory<Row, lanes>(shared, s, 0, a.half, a.tile_width).lines;
      const typename Row::Entry entry = lines.entries[t];
      if constexpr (subpixel) {
        // The score of a neighbouring displacement may be in another slice.
        if (best == slice_displacements * s - 1) after = lines.ends[t].before;
      }
      if (Row::found(entry.left) && (best < 0 || Row::score(entry.left) < score)) {
        score = Row::score(entry.left);
        best = slice_displacements * s + Row::slot(entry.left);
        if constexpr (subpixel) {
          before = Row::slot(entry.left) == 0 ? last : lines.beside[t].before;
          after = lines.beside[t].after;
        }
      }
      if constexpr (subpixel) last = lines.ends[t].after;
    }
    a.best[y * a.width + x] = static_cast<short>(best);
    auto value = static_cast<float>(best);
    if constexpr (subpixel) {
      if (best > 0 && best + 1 < a.candidates && x - best > 0) {
        value = detail::disparity::refined(measure, best, Row::value(before), Row::value(score),
                                           Row::value(after));
      }
    }
    store_float(a.value + y * a.value_pitch + 4 * x, value);
  }
}

/// Merges a slice's best displacements of right pixels with those of other slices and tiles.
template <class Row>
__device__ void merge_right(const SweepArguments& a, const SliceLines<Row>& lines, int lane,
                            int slice, int columns, int64_t tile_x, int64_t y) {
  // Entry e is for right pixel first + e. At the tile's first column, pixel `first` is one
  // displacement beyond the slice's last.
  const int64_t first = tile_x - slice_displacements * (slice + 1);
  for (int e = lane; e < columns + slice_displacements; e += 32) {
    const typename Row::Kept kept =
        e < columns ? lines.entries[e].right : lines.remaining[e - columns];
    const int64_t x = first + e;
    if (Row::found(kept) && x >= 0 && x < a.width) {
      Row::merge(a.energies, a.right_best + y * a.width + x, x, y, kept, slice);
    }
  }
}

/// Finds both images' best displacements. Grid: x over tiles, y over strips. Block: a warp for each
/// slice, with a SliceMemory in dynamic shared memory. `lanes` < 32 is for one slice of few
/// displacements. It limits registers so that a multiprocessor holds 12 thread blocks, three a
/// scheduler. Shared memory also has room for 12, unless the image blocks are large.
template <Measure measure, bool keyed, bool checked, bool subpixel, int lanes>
__global__ void __launch_bounds__(lanes < 32 ? 32 : sweep_max_threads, lanes < 32 ? 12 : 1)
    disparity_sweep_kernel(SweepArguments a) {
  using Row = typename SweepRow<measure, keyed, checked, subpixel, lanes>::Type;
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int slice = static_cast<int>(threadIdx.x) / 32;
  const int64_t tile_x = int64_t{blockIdx.x} * a.tile_width;
  const int64_t top = int64_t{blockIdx.y} * a.strip_height;
  const int64_t bottom = min(top + a.strip_height, a.height);
  const SliceReach reach(a.candidates, a.width, a.tile_width, tile_x, slice, lane);
  const SliceMemory<Row, lanes> memory(shared, slice, lane, a.half, a.tile_width);

  // Number of columns before the first one that completes a block. They are read in groups of four
  // that end before that column.
  const int lead = 2 * a.half;
  const int lead_groups = (lead + 3) / 4;
  const int first_column = lead - 4 * lead_groups;
  const int groups = (min(reach.end, a.tile_width) + 3) / 4;
  const int64_t word = a.origin + tile_x / 4 - lead_groups;
  const unsigned* left = a.left + word;
  const unsigned* right = a.right + word - lane - 32 * slice;
  wait_for_launch();
  if (lane < lanes) {
    memory.columns[0] = {};  // zeros to subtract before the first column leaves
    fill_columns<Row, lanes>(memory.columns, first_column, lead_groups + groups, lead + 1,
                             left + top * a.pitch, right + top * a.pitch, a.pitch);
  }

  const int columns = 4 * groups;
  for (int64_t y = top; y < bottom; ++y) {
    const int64_t entering = (y + lead + 1) * a.pitch, leaving = y * a.pitch;
    Row row(a.energies, reach, tile_x, y, memory.columns + lanes * (1 + first_column), lead + 1);
    row.walk.entering.start(left + entering, right + entering);
    row.walk.leaving.start(left + leaving, right + leaving);
    for (int g = 0; g < lead_groups; ++g) row.lead(g == 0 && first_column < 0);

    // Before tile column open_end, the right pixels of some slots do not exist yet. The last group
    // may pass the image's end. group<true>() handles both cases.
    const int whole = reach.end >= columns ? columns : columns - 4;
    int t = 0;
#pragma unroll 1
    for (; t < min(reach.open_end, whole); t += 4) row.template group<true>(t, reach, memory.lines);
#pragma unroll Row::unrolled
    for (; t < whole; t += 4) row.template group<false>(t, reach, memory.lines);
    if (t < columns) row.template group<true>(t, reach, memory.lines);
    if constexpr (checked) row.keep_remaining(lane, memory.lines);
    __syncthreads();
    write_left<measure, Row, subpixel, lanes>(a, shared, tile_x, y);
    if constexpr (checked) merge_right<Row>(a, memory.lines, lane, slice, columns, tile_x, y);
    __syncthreads();
  }
}

/// Checks all pixels. Grid: x covers a row in pieces of sweep_max_threads, y strides over rows.
template <class Right>
__global__ void __launch_bounds__(sweep_max_threads)
    disparity_check_kernel(CheckArguments<Right> a) {
  const int64_t x = int64_t{blockIdx.x} * sweep_max_threads + threadIdx.x;
  wait_for_launch();
  if (x >= a.width) return;
  for (int64_t y = blockIdx.y; y < a.height; y += gridDim.y) {
    const int d = a.left[y * a.width + x];
    // If Right has 64 bits, the displacement is in the low half.
    if (abs(d - static_cast<int>(a.right[y * a.width + x - d])) > a.check) {
      store_float(a.dst + y * a.dst_pitch + 4 * x, -1.0F);
    }
  }
}

}  // namespace warpwise::kernels::disparity
