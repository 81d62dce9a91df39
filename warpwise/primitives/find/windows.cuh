#pragma once

#include "warpwise/primitives/find/arguments.cuh"
#include "warpwise/primitives/shared/unaligned.cuh"

// The sums of the image over the template's area at each place, by running sums. Fit for nvcc and
// NVRTC: no host headers of their own.
namespace warpwise::kernels::find {

inline constexpr int windows_columns = 4;  // of places, a thread: those of a word of pixels
inline constexpr int windows_tile_columns = find_threads * windows_columns;
// Each block sums anew over the template's height above its first row.
inline constexpr int windows_tile_rows = 32;

/// What a thread, or the threads before it, have of Σb and Σb².
template <class Square>
struct WindowPair {
  unsigned sum = 0;
  Square square = 0;

  __device__ WindowPair& operator+=(const WindowPair& other) {
    sum += other.sum;
    square += other.square;
    return *this;
  }
  __device__ void add_word(unsigned pixels, bool less) {
    const unsigned words_sum = __dp4a(pixels, 0x01010101U, 0U);
    const Square words_square = __dp4a(pixels, pixels, 0U);
    sum += less ? 0U - words_sum : words_sum;
    square += less ? Square{0} - words_square : words_square;
  }
  /// That of the lane `distance` below.
  __device__ WindowPair below(int distance) const {
    return {__shfl_up_sync(0xffffffffU, sum, distance),
            __shfl_up_sync(0xffffffffU, square, distance)};
  }
};

/// What a thread writes of a row at once.
template <class Value>
struct alignas(16) WindowColumns {
  Value at[windows_columns];
};

/// What a thread keeps while it moves down the rows. All differences are modulo 2^32 or 2^64: the
/// sums that are written are not.
template <class Square>
struct WindowRun {
  /// By how much the window grows from each place to its right neighbour.
  WindowPair<Square> step[windows_columns];
  /// This thread's share of the block's first window.
  WindowPair<Square> first;
};

__device__ inline unsigned image_word(const FindArguments& a, int64_t x, int64_t y) {
  return x < a.image_width ? load_word(a.image + y * a.image_pitch, x, a.image_width) : 0;
}

/// Adds row y of the image, or takes it away again.
template <class Square>
__device__ inline void add_row(const FindArguments& a, int64_t tile_x, int64_t y, bool less,
                               WindowRun<Square>& run) {
  const int64_t x = tile_x + static_cast<int>(threadIdx.x) * windows_columns;
  const unsigned leaving = image_word(a, x, y), entering = image_word(a, x + a.templ_width, y);
#pragma unroll
  for (int i = 0; i < windows_columns; ++i) {
    const unsigned out = leaving >> (8 * i) & 0xff, in = entering >> (8 * i) & 0xff;
    const unsigned sum = in - out;
    const Square square = static_cast<Square>(in * in) - out * out;
    run.step[i].sum += less ? 0U - sum : sum;
    run.step[i].square += less ? Square{0} - square : square;
  }
  for (int64_t k = int64_t{threadIdx.x} * 4; k < a.templ_width; k += 4 * find_threads) {
    unsigned pixels = image_word(a, tile_x + k, y);
    if (k + 4 > a.templ_width) pixels &= 0xffffffffU >> (8 * (k + 4 - a.templ_width));
    run.first.add_word(pixels, less);
  }
}

template <class Square>
struct WindowsShared {
  WindowPair<Square> steps[2][find_threads / 32];   ///< of each warp; in turns, for one barrier
  WindowPair<Square> firsts[2][find_threads / 32];  ///< a row
};

/// Returns the window of this thread's first place. To be called by all threads.
template <class Square>
__device__ inline WindowPair<Square> scan_windows(WindowsShared<Square>& s, int turn,
                                                  const WindowRun<Square>& run, int64_t width) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  WindowPair<Square> scan;
#pragma unroll
  for (int i = 0; i < windows_columns; ++i) scan += run.step[i];
  const WindowPair<Square> own = scan;
  for (int distance = 1; distance < 32; distance *= 2) {
    const WindowPair<Square> other = scan.below(distance);
    if (lane >= distance) scan += other;
  }
  // Few warps have a share of a narrow template's window.
  WindowPair<Square> first = run.first;
  if (128 * warp < width) {
    for (int distance = 1; distance < 32; distance *= 2) {
      const WindowPair<Square> other = first.below(distance);
      if (lane >= distance) first += other;
    }
  }
  if (lane == 31) {
    s.steps[turn][warp] = scan;
    s.firsts[turn][warp] = first;
  }
  __syncthreads();
  WindowPair<Square> here = scan;
  here.sum -= own.sum;
  here.square -= own.square;
#pragma unroll
  for (int w = 0; w < find_threads / 32; ++w) {
    here += s.firsts[turn][w];
    if (w < warp) here += s.steps[turn][w];
  }
  return here;
}

/// Grid: x over tiles of places, y strides over rows of tiles.
template <bool with_sums, class Square>
__global__ void __launch_bounds__(find_threads) windows_kernel(FindArguments a) {
  __shared__ WindowsShared<Square> s;
  const int64_t tile_x = int64_t{blockIdx.x} * windows_tile_columns;
  const int64_t x = tile_x + static_cast<int>(threadIdx.x) * windows_columns;
  for (int64_t tile_y = int64_t{blockIdx.y} * windows_tile_rows; tile_y < a.rows;
       tile_y += int64_t{gridDim.y} * windows_tile_rows) {
    const int64_t end = min(tile_y + windows_tile_rows, a.rows);
    WindowRun<Square> run;
#pragma unroll 4
    for (int64_t y = tile_y; y < tile_y + a.templ_height; ++y) add_row(a, tile_x, y, false, run);
    for (int64_t y = tile_y; y < end; ++y) {
      WindowPair<Square> here = scan_windows(s, static_cast<int>(y & 1), run, a.templ_width);
      WindowColumns<unsigned> row_sums;
      WindowColumns<Square> row_squares;
#pragma unroll
      for (int i = 0; i < windows_columns; ++i) {
        row_sums.at[i] = here.sum;
        row_squares.at[i] = here.square;
        here += run.step[i];
      }
      // Rows of scratch memory are whole numbers of a thread's columns.
      const int64_t at = (y * a.scratch_pitch + x) / windows_columns;
      if (x < a.columns) {
        if constexpr (with_sums) reinterpret_cast<WindowColumns<unsigned>*>(a.sums)[at] = row_sums;
        static_cast<WindowColumns<Square>*>(a.squares)[at] = row_squares;
      }
      if (y + 1 == end) break;
      add_row(a, tile_x, y + a.templ_height, false, run);
      add_row(a, tile_x, y, true, run);
    }
    // The next tile's turn may be the one that others still read.
    __syncthreads();
  }
}

}  // namespace warpwise::kernels::find
