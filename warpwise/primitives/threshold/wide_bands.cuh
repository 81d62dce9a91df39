#pragma once

#include "warpwise/primitives/threshold/band_start.cuh"
#include "warpwise/primitives/threshold/bands.cuh"

// The threshold kernel for large windows. Fit for nvcc and NVRTC: no host headers.
//
// Works like threshold_bands, but windows in a row share partial sums (WideSums). Column sums give
// the sums of a segment's first windows (BandStart). Shared memory does not keep a window's rows.
// Each row is loaded as it enters a window, as it leaves it, and for its own pixels.
namespace warpwise::kernels::threshold {

/// Computes mean and exact_mean without the mean image. Grid: x covers the columns in strips, y
/// strides over segments of rows.
template <class Pixel, BandSums sums, int threads>
__global__ void __launch_bounds__(threads, threshold_wide_band_threads_an_sm / threads)
    threshold_wide_bands(WideBandArguments wide) {
  const BandArguments& a = wide.band;
  extern __shared__ uint4 band_shared[];
  using Shape = BandShape<Pixel, sums, threads>;
  constexpr int rows = threshold_band_rows;
  constexpr int size = sizeof(Pixel);
  const WideSums<Shape> sums_along(a);
  const int strip_at = a.half * size + a.out_at;  // start of the strip in the rows of shared memory
  const int first_byte = a.first_byte + static_cast<int>(blockIdx.x) * Shape::strip;
  const BandColumns columns(a.src, first_byte - strip_at, a.pitch, size);
  // Shared memory: rows that enter windows, rows that leave them, and the changes of window sums.
  auto* const shared = reinterpret_cast<unsigned char*>(band_shared);
  int* const changes = reinterpret_cast<int*>(shared + 2 * rows * a.pitch);
  // One share for each row and warp: a summand that later warps add to their changes (WideSums).
  // The shares are stored behind each row's changes if there is room, otherwise behind all rows.
  constexpr bool have_room = Shape::words >= threads / 32;
  constexpr int share_pitch = have_room ? Shape::pitch : threads / 32;
  int* const shares = changes + (have_room ? Shape::pitch - Shape::words : rows * Shape::pitch);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp_bytes = thread / 32 * threshold_band_warp_bytes;
  const unsigned lane_rows =
      static_cast<unsigned>(__cvta_generic_to_shared(shared)) + warp_bytes + lane * a.pitch;
  int* const lane_changes = changes + Shape::place_of_lane(warp_bytes, lane);
  const int* const column_changes = changes + thread * (Shape::words / 2);
  const BandResults results(a, first_byte + 4 * thread, columns.row_bytes());
  const int height = static_cast<int>(a.src.height);

  for (int64_t segment = int64_t{blockIdx.y} * a.segment_rows; segment < height;
       segment += int64_t{gridDim.y} * a.segment_rows) {
    const int begin = static_cast<int>(segment);
    const int end = min(begin + a.segment_rows, height);
    BandColumn<Shape> column;
    // Starts to copy the rows that the windows of 16 rows from y on gain and lose.
    const auto start_rows = [&](int y) {
#pragma unroll 1
      for (int out = 0; out < 2; ++out) {
        constexpr int any_row = -0x7fffffff;
        columns.start_rows(shared + out * rows * a.pitch, y + (out == 0 ? a.half : -a.half - 1),
                           any_row);
      }
    };
    start_rows(begin);
    follow_launch();  // waits for the sums; this kernel begins only when the image is complete
    BandStart<Shape>(wide, static_cast<int>(blockIdx.x), first_byte - strip_at, changes)
        .less_windows(begin - 1, column.less);
#pragma unroll 1
    for (int y = begin; y < end; y += rows) {
      unsigned pixels[rows] = {};
      const bool whole =
          __all_sync(0xffffffffU, results.whole && results.whole_source) && y + rows <= end;
      finish_copies();
      __syncthreads();
      if (columns.beyond()) {
        columns.repeat_edges<Pixel>(shared);
        columns.repeat_edges<Pixel>(shared + rows * a.pitch);
        __syncthreads();
      }
      if (whole) {
        const unsigned char* from = a.src.data + y * a.src.pitch + results.at;
#pragma unroll
        for (int i = 0; i < rows; ++i, from += a.src.pitch) {
          pixels[i] = *reinterpret_cast<const unsigned*>(from);
        }
      }
      sums_along.along_rows(lane_rows, lane_changes, thread < 32,
                            shares + lane / 4 * share_pitch + thread / 32, 8 * share_pitch);
      __syncthreads();
      // Lane l adds up the shares of earlier warps in row l % 16.
      int share = 0;
#pragma unroll 1
      for (int w = 0; w < thread / 32; ++w) share += shares[lane % rows * share_pitch + w];
      const auto slide = [&](int i) {
        column.slide(column_changes + i * Shape::pitch, __shfl_sync(0xffffffffU, share, i));
      };
      if (y + rows < end) start_rows(y + rows);  // the rows arrive during the additions below
      if (whole) {
        unsigned char* row = a.out.dst + y * a.out.dst_pitch + results.at;
#pragma unroll
        for (int i = 0; i < rows; ++i, row += a.out.dst_pitch) {
          slide(i);
          __stcs(reinterpret_cast<unsigned*>(row), column.decide(pixels[i], a));
        }
      } else {
#pragma unroll 1
        for (int i = 0; i < min(rows, end - y); ++i) {
          slide(i);
          results.store(a, y + i, column.decide(results.load(a, y + i), a));
        }
      }
    }
  }
}

}  // namespace warpwise::kernels::threshold
