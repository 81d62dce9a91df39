#pragma once

#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/threshold/band_rows.cuh"
#include "warpwise/primitives/threshold/band_sums.cuh"

// The kernel threshold_bands, for small windows. Fit for nvcc and NVRTC: no host headers.
//
// A block goes down a strip of columns, 16 rows at a time. From one row to the next, the window's
// sum changes: plus the sum along the row that comes in, minus the sum along the row that goes out.
// The matrix units compute these changes as products of the rows' bytes with weights of 1 and -1
// (band_sums.cuh). The changes pass through shared memory to threads that add them up down the
// columns and decide.
namespace warpwise::kernels::threshold {

/// State of a thread's word of pixels: less[k] is the bias minus the sum of the window around pixel
/// k.
template <class Shape>
struct BandColumn {
  using Pixel = typename Shape::Pixel;
  static constexpr int count = Shape::count;
  typename Shape::Less less[count];

  /// Moves down by one row. `changes` has the changes of the word's sums without `shared`, the part
  /// that all these changes have in common.
  __device__ void slide(const int* changes, int shared = 0) {
    if constexpr (sizeof(Pixel) == 2) {
      const int2 change = *reinterpret_cast<const int2*>(changes);
      less[0] -= change.x + shared;
      less[1] -= change.y + shared;
    } else if constexpr (Shape::sums == BandSums::pairs) {
      const uint2 change = *reinterpret_cast<const uint2*>(changes);
      less[0] = plus_change(less[0], change.x, 0x00ff);
      less[1] = plus_change(less[1], change.x, 0xff00);
      less[2] = plus_change(less[2], change.y, 0x00ff);
      less[3] = plus_change(less[3], change.y, 0xff00);
    } else {
      const int4 change = *reinterpret_cast<const int4*>(changes);
      less[0] -= change.x + shared;
      less[1] -= change.y + shared;
      less[2] -= change.z + shared;
      less[3] -= change.w + shared;
    }
  }

  /// Returns the results for a word of pixels.
  __device__ unsigned decide(unsigned word, const BandArguments& a) const {
    unsigned is_below;
    if constexpr (Shape::sums == BandSums::wide) {
      const auto high_word = [&](unsigned pixel, int64_t with) {
        return static_cast<unsigned>((int64_t{static_cast<int>(pixel)} * a.area + with) >> 32);
      };
      is_below =
          permuted(high_word(word & 0xffff, less[0]), high_word(word >> 16, less[1]), 0xffbb);
    } else if constexpr (sizeof(Pixel) == 2) {
      is_below =
          permuted((word & 0xffff) * a.area + less[0], (word >> 16) * a.area + less[1], 0xffbb);
    } else {
      int excess[count];
#pragma unroll
      for (int k = 0; k < count; ++k) {
        excess[k] = Shape::sums == BandSums::large
                        ? static_cast<int>((word >> 8 * k & 0xff) * a.area) + less[k]
                        : band_excess(less[k], word, k, a.area);
      }
      is_below = permuted(permuted(excess[0], excess[1], 0x00fb),
                          permuted(excess[2], excess[3], 0x00fb), 0x5410);
    }
    constexpr unsigned everywhere = sizeof(Pixel) == 1 ? 0x01010101 : 0x00010001;
    return (is_below & a.out.below * everywhere) | (~is_below & a.out.above * everywhere);
  }
};

/// A thread's word of results in each row.
struct BandResults {
  int at;             ///< byte of the word in a row
  int row_bytes;      ///< bytes of a row of the image
  bool whole_source;  ///< each word is read by one access
  bool whole;         ///< each word is written by one access

  __device__ BandResults(const BandArguments& a, int byte, int bytes) : at(byte), row_bytes(bytes) {
    const bool inside = at >= 0 && at + 4 <= row_bytes;
    whole_source = inside && is_multiple(a.src.data + at, 4) && a.src.pitch % 4 == 0;
    whole = inside && is_multiple(a.out.dst + at, 4) && a.out.dst_pitch % 4 == 0;
  }

  /// Returns the pixels of row y.
  __device__ unsigned load(const BandArguments& a, int y) const {
    const unsigned char* const row =
        a.src.data + min(y, static_cast<int>(a.src.height) - 1) * a.src.pitch;
    return whole_source ? *reinterpret_cast<const unsigned*>(row + at)
                        : word_near_edge(row, at, row_bytes);
  }

  __device__ void store(const BandArguments& a, int y, unsigned word) const {
    store_word(a.out.dst + y * a.out.dst_pitch, at, row_bytes, whole, word);
  }
};

/// Processes a block's segments of a strip of columns: the segment from row `first_row` on, then
/// one every `stride` rows.
template <class Pixel, int parts, BandSums sums, int threads>
__device__ inline void band_segments(const BandArguments& a, int strip, int64_t first_row,
                                     int64_t stride) {
  extern __shared__ uint4 band_shared[];
  using Shape = BandShape<Pixel, sums, threads>;
  constexpr int rows = threshold_band_rows;
  constexpr int size = sizeof(Pixel);
  const WholeSums<Shape, parts> sums_along(a);
  const int strip_at = a.half * size + a.out_at;  // start of the strip in the rows of shared memory
  const int first_byte = a.first_byte + strip * Shape::strip;
  const BandColumns columns(a.src, first_byte - strip_at, a.pitch, size);
  auto* const shared = reinterpret_cast<unsigned char*>(band_shared);
  int* const changes = reinterpret_cast<int*>(shared + a.rows * a.pitch);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp_bytes = thread / 32 * threshold_band_warp_bytes;
  const unsigned warp_shared = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + warp_bytes;
  int* const lane_changes = changes + Shape::place_of_lane(warp_bytes, lane);
  const int* const column_changes = changes + thread * (Shape::words / 2);
  const BandResults results(a, first_byte + 4 * thread, columns.row_bytes());
  const int height = static_cast<int>(a.src.height);
  const int ahead = (a.half + rows - 1) / rows;  // groups of rows loaded below the current one
  const int starting_groups = (2 * a.half + rows) / rows;

  wait_for_launch();
  for (int64_t segment = first_row; segment < height; segment += stride) {
    const int begin = static_cast<int>(segment);
    const int end = min(begin + a.segment_rows, height);
    const int least = begin - a.half - 1;  // first row that the first window's sum includes
    BandColumn<Shape> column;
#pragma unroll
    for (auto& less : column.less) less = static_cast<typename Shape::Less>(a.bias);
    const auto start = [&](int slot, int y) {
      columns.start_rows(shared + slot * a.pitch, y, least);
    };
    int slot = 0;               // index of row y in shared memory
    int newest = ahead * rows;  // index of the last rows that have arrived
    int y = begin - starting_groups * rows;
    for (int group = a.half / rows; group <= ahead; ++group) start(group * rows, y + group * rows);
    // Prefetches rows one step before they are copied. In low segments this does not pay.
    const bool fetches = end - begin >= 128;
    if (fetches) columns.fetch_rows(y + (ahead + 1) * rows);
#pragma unroll 1
    for (; y < end; y += rows) {
      const bool starting = y < begin;
      finish_copies();
      __syncthreads();
      if (columns.beyond()) {
        const bool first = y + starting_groups * rows == begin;
        for (int at = first ? a.half / rows * rows : newest; at <= newest; at += rows) {
          columns.repeat_edges<Pixel>(shared + at * a.pitch);
        }
        __syncthreads();
      }
      // The row whose address the lane gives: it enters the windows (lanes 0 … 15) or leaves them.
      int row = lane % 16 + (lane < 16 ? slot + a.half : slot - a.half - 1);
      row = row < 0 ? row + a.rows : row < a.rows ? row : row - a.rows;
      const unsigned bytes = warp_shared + row * a.pitch;
      if (starting) {
        sums_along.template along_rows<true>(bytes, lane_changes);
      } else {
        sums_along.template along_rows<false>(bytes, lane_changes);
      }
      __syncthreads();
      // The next rows overwrite the oldest ones while this thread adds up the changes below.
      if (y + rows < end) {
        newest = newest + rows == a.rows ? 0 : newest + rows;
        start(newest, y + (ahead + 1) * rows);
        if (fetches && y + 2 * rows < end) columns.fetch_rows(y + (ahead + 2) * rows);
      }
      if (starting) {
#pragma unroll
        for (int i = 0; i < rows; ++i) column.slide(column_changes + i * Shape::pitch);
      } else {
        const unsigned char* const own = shared + slot * a.pitch + strip_at + 4 * thread;
        const auto go_down = [&](int i) {
          column.slide(column_changes + i * Shape::pitch);
          return column.decide(*reinterpret_cast<const unsigned*>(own + i * a.pitch), a);
        };
        if (y + rows <= end && results.whole) {
          unsigned char* row_out = a.out.dst + y * a.out.dst_pitch + results.at;
#pragma unroll
          for (int i = 0; i < rows; ++i, row_out += a.out.dst_pitch) {
            *reinterpret_cast<unsigned*>(row_out) = go_down(i);
          }
        } else {
#pragma unroll
          for (int i = 0; i < rows; ++i) {
            const unsigned word = go_down(i);
            if (y + i < end) results.store(a, y + i, word);
          }
        }
      }
      slot = slot + rows == a.rows ? 0 : slot + rows;
    }
  }
}

/// Computes mean and exact_mean without the mean image. WholeSums explains `parts`. Grid: x
/// covers the columns in strips, y strides over segments.
template <class Pixel, int parts, BandSums sums, int threads>
__global__ void __launch_bounds__(threads, threshold_band_threads_an_sm / threads)
    threshold_bands(BandArguments a) {
  band_segments<Pixel, parts, sums, threads>(a, static_cast<int>(blockIdx.x),
                                             int64_t{blockIdx.y} * a.segment_rows,
                                             int64_t{gridDim.y} * a.segment_rows);
}

}  // namespace warpwise::kernels::threshold
