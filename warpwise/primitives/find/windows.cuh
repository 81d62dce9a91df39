#pragma once

#include "warpwise/primitives/find/arguments.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/shared/unaligned.cuh"

// Sums of the image's pixels under the template at each place (its window), by running sums. nvcc
// and NVRTC compile this file; it includes no host headers.
namespace warpwise::kernels::find {

/// The sums Σb and Σb² over some pixels b. A negative difference of sums wraps around: modulo 2^32,
/// or 2^64 for a Square of 64 bits.
template <class Square>
struct WindowPair {
  unsigned sum = 0;
  Square square = 0;

  __device__ WindowPair& operator+=(const WindowPair& other) {
    sum += other.sum;
    square += other.square;
    return *this;
  }
  __device__ WindowPair& operator-=(const WindowPair& other) {
    sum -= other.sum;
    square -= other.square;
    return *this;
  }
  /// Returns the pair of the lane whose index is smaller by `distance`.
  __device__ WindowPair below(int distance) const {
    return {__shfl_up_sync(0xffffffffU, sum, distance),
            __shfl_up_sync(0xffffffffU, square, distance)};
  }
};

template <class Square>
__device__ inline WindowPair<Square> pair_of(unsigned pixels) {
  return {__dp4a(pixels, 0x01010101U, 0U), __dp4a(pixels, pixels, 0U)};
}

/// A thread's state while it moves down the rows.
template <class Square>
struct WindowRun {
  /// Increase of the window's sums from each place to its right neighbour.
  WindowPair<Square> step[windows_columns];
  /// This thread's share of the sums of the block's first window, the leftmost one.
  WindowPair<Square> first;
};

/// The aligned words around 8 bytes of a row; get() shifts the bytes into place.
struct WindowBytes {
  unsigned words[3] = {};

  /// Loads bytes x to x + 7 of a row of `width`, if `wanted`. No branch waits for the loads, so
  /// loads of several rows are in flight together.
  __device__ WindowBytes(const unsigned char* row, int64_t x, int64_t width, bool wanted) {
    const auto address = reinterpret_cast<cuda::std::uintptr_t>(row + x);
    const auto* from = reinterpret_cast<const unsigned*>(address & ~cuda::std::uintptr_t{3});
    const bool whole = wanted && inside(address, x, width);
    if (whole) words[0] = __ldg(from);
    if (whole) words[1] = __ldg(from + 1);
    if (whole && (address & 3) != 0) words[2] = __ldg(from + 2);
  }
  /// Returns the bytes; zeros beyond the row. Takes the constructor's arguments.
  __device__ uint2 get(const unsigned char* row, int64_t x, int64_t width, bool wanted) const {
    const auto address = reinterpret_cast<cuda::std::uintptr_t>(row + x);
    if (wanted && x < width && !inside(address, x, width)) {
      return {load_word(row, x, width), x + 4 < width ? load_word(row, x + 4, width) : 0};
    }
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    return {__funnelshift_r(words[0], words[1], shift), __funnelshift_r(words[1], words[2], shift)};
  }

 private:
  /// Returns true only if the aligned words around the bytes are inside the row.
  __device__ static bool inside(cuda::std::uintptr_t address, int64_t x, int64_t width) {
    return (address & 3) == 0 ? x + 8 <= width : x >= 3 && x + 11 <= width;
  }
};

/// The part of an image row that a thread needs.
struct WindowRow {
  const unsigned char* row;
  bool wanted;
  bool first_wanted;  ///< true if this thread has a share of the first window
  WindowBytes lost;   ///< pixels that the thread's windows lose from each place to the next
  WindowBytes gained;
  WindowBytes first;

  __device__ WindowRow(const FindArguments& a, int64_t tile_x, int64_t y, bool given)
      : row(a.image + y * a.image_pitch), wanted(given),
        first_wanted(given && static_cast<int>(threadIdx.x) * 4 < a.templ_width),
        lost(row, tile_x + own_x(), a.image_width, wanted),
        gained(row, tile_x + own_x() + a.templ_width, a.image_width, wanted),
        first(row, tile_x + static_cast<int>(threadIdx.x) * 4, a.image_width, first_wanted) {}

  __device__ static int own_x() { return static_cast<int>(threadIdx.x) * windows_columns; }
};

/// The pixels of a row that a thread's windows lose and gain from each place to the next.
struct WindowPixels {
  uint2 lost;
  uint2 gained;
};

__device__ inline WindowPixels pixels_of(const FindArguments& a, int64_t tile_x,
                                         const WindowRow& from) {
  const int64_t x = tile_x + WindowRow::own_x();
  return {from.lost.get(from.row, x, a.image_width, from.wanted),
          from.gained.get(from.row, x + a.templ_width, a.image_width, from.wanted)};
}

/// Returns this thread's share of a row of the block's first window.
template <class Square>
__device__ inline WindowPair<Square> first_of_row(const FindArguments& a, int64_t tile_x,
                                                  const WindowRow& from) {
  WindowPair<Square> first;
  if (!from.first_wanted) return first;
  int64_t k = int64_t{threadIdx.x} * 4;
  unsigned pixels = from.first.get(from.row, tile_x + k, a.image_width, true).x;
  for (;;) {
    if (k + 4 > a.templ_width) pixels &= 0xffffffffU >> (8 * (k + 4 - a.templ_width));
    first += pair_of<Square>(pixels);
    k += 4 * windows_threads;
    if (k >= a.templ_width) return first;
    pixels = load_word(from.row, tile_x + k, a.image_width);
  }
}

/// Adds the row that enters the windows and subtracts the row that leaves, for 4 columns of places.
template <class Square>
__device__ inline void add_four(unsigned enters_gained, unsigned leaves_lost, unsigned enters_lost,
                                unsigned leaves_gained, WindowPair<Square>* step) {
  // A plus word holds two pixels to add for each of two columns; a minus word, two to subtract.
  // `both` holds the four pixels of one column: bytes 0 and 1 are added, bytes 2 and 3 subtracted.
  const unsigned plus_low = __byte_perm(enters_gained, leaves_lost, 0x5140);
  const unsigned plus_high = __byte_perm(enters_gained, leaves_lost, 0x7362);
  const unsigned minus_low = __byte_perm(enters_lost, leaves_gained, 0x5140);
  const unsigned minus_high = __byte_perm(enters_lost, leaves_gained, 0x7362);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned plus = i < 2 ? plus_low : plus_high, minus = i < 2 ? minus_low : minus_high;
    const unsigned both = __byte_perm(plus, minus, i % 2 == 0 ? 0x5410 : 0x7632);
    const unsigned added = both & 0xffff, taken = both & 0xffff0000;
    step[i].sum = __dp4a(both, 0x00000101U, step[i].sum) - __dp4a(both, 0x01010000U, 0U);
    step[i].square += Square{__dp4a(added, added, 0U)} - __dp4a(taken, taken, 0U);
  }
}

template <class Square>
__device__ inline void add_rows(const WindowPixels& enters, const WindowPixels& leaves,
                                WindowRun<Square>& run) {
  add_four(enters.gained.x, leaves.lost.x, enters.lost.x, leaves.gained.x, run.step);
  add_four(enters.gained.y, leaves.lost.y, enters.lost.y, leaves.gained.y, run.step + 4);
}

template <class Square>
struct WindowsShared {
  // Two buffers used in turn, so that a row needs only one barrier.
  WindowPair<Square> steps[2][windows_threads / 32];   ///< sum of each warp's steps
  WindowPair<Square> firsts[2][windows_threads / 32];  ///< sum of each warp's first-window shares
};

/// Returns the sum of the pairs of this lane and of the lanes below it.
template <class Square>
__device__ inline WindowPair<Square> scan_warp(WindowPair<Square> pair) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const WindowPair<Square> other = pair.below(distance);
    if (static_cast<int>(threadIdx.x) % 32 >= distance) pair += other;
  }
  return pair;
}

/// Returns the sums of the window at this thread's first place. All threads must call it.
template <class Square>
__device__ inline WindowPair<Square> scan_windows(WindowsShared<Square>& s, int turn,
                                                  const WindowRun<Square>& run, int64_t width) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  WindowPair<Square> own;
#pragma unroll
  for (int i = 0; i < windows_columns; ++i) own += run.step[i];
  WindowPair<Square> here = scan_warp(own);
  // With a narrow template, only some warps have a share of the first window.
  WindowPair<Square> first;
  if (128 * warp < width) first = scan_warp(run.first);
  if (threadIdx.x % 32 == 31) {
    s.steps[turn][warp] = here;
    s.firsts[turn][warp] = first;
  }
  __syncthreads();
  here -= own;
#pragma unroll
  for (int w = 0; w < windows_threads / 32; ++w) {
    here += s.firsts[turn][w];
    if (w < warp) here += s.steps[turn][w];
  }
  return here;
}

/// Writes the sums of a thread's windows to scratch memory. `here` holds the leftmost window's
/// sums. A row of scratch memory has a multiple of windows_columns elements.
template <bool with_sums, class Square>
__device__ inline void store_windows(const FindArguments& a, int64_t at, WindowPair<Square> here,
                                     const WindowPair<Square>* step) {
  struct alignas(16) Sums {
    unsigned at[windows_columns];
  } sums;
  struct alignas(16) Squares {
    Square at[windows_columns];
  } squares;
#pragma unroll
  for (int i = 0; i < windows_columns; ++i) {
    sums.at[i] = here.sum;
    squares.at[i] = here.square;
    here += step[i];
  }
  if constexpr (with_sums) reinterpret_cast<Sums*>(a.sums)[at / windows_columns] = sums;
  static_cast<Squares*>(a.squares)[at / windows_columns] = squares;
}

/// The segments (column sums) of two adjacent columns, so that one load of 16 bytes reads both.
struct alignas(16) WindowSegments {
  WindowSegment first;
  WindowSegment second;
};

/// Adds windows_rows rows at once to a thread's state: row `segment` of a.segments has their sums.
template <class Square>
__device__ inline void add_segment(const FindArguments& a, int64_t tile_x, int64_t segment,
                                   WindowRun<Square>& run) {
  const WindowSegment* row = a.segments + segment * a.segment_pitch;
  const int64_t x = tile_x + WindowRow::own_x();
  const auto add = [&](const WindowSegment& gained, const WindowSegment& lost, int i) {
    run.step[i].sum += gained.sum - lost.sum;
    run.step[i].square += Square{gained.square} - lost.square;
  };
  // A row of segments has an even number of columns, with zeros beyond the image.
  const auto pair = [&](int64_t at) {
    return at < a.segment_pitch ? *reinterpret_cast<const WindowSegments*>(row + at)
                                : WindowSegments{};
  };
  const auto column = [&](int64_t at) {
    return at < a.segment_pitch ? row[at] : WindowSegment{0, 0};
  };
  const bool even = a.templ_width % 2 == 0;
#pragma unroll
  for (int i = 0; i < windows_columns; i += 2) {
    const WindowSegments lost = pair(x + i);
    WindowSegments gained{};
    if (even)
      gained = pair(x + i + a.templ_width);
    else
      gained = {column(x + i + a.templ_width), column(x + i + 1 + a.templ_width)};
    add(gained.first, lost.first, i);
    add(gained.second, lost.second, i + 1);
  }
  for (int64_t k = int64_t{threadIdx.x} * 4; k < a.templ_width; k += 4 * windows_threads) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (k + i >= a.templ_width) break;
      const WindowSegment share = row[tile_x + k + i];
      run.first.sum += share.sum;
      run.first.square += share.square;
    }
  }
}

/// Returns a thread's state for the tile's first row, summed over the template's height.
template <class Square>
__device__ inline WindowRun<Square> begin_windows(const FindArguments& a, int64_t tile_x,
                                                  int64_t tile_y) {
  WindowRun<Square> run;
  const int64_t end = tile_y + a.templ_height;
  int64_t top = tile_y;
  if (a.segments != nullptr) {
#pragma unroll 2
    for (; top + a.windows_rows <= end; top += a.windows_rows)
      add_segment(a, tile_x, top / a.windows_rows, run);
  }
  for (int64_t y = top; y < end; y += 4) {
    const WindowRow rows[4] = {{a, tile_x, y, true},
                               {a, tile_x, y + 1, y + 1 < end},
                               {a, tile_x, y + 2, y + 2 < end},
                               {a, tile_x, y + 3, y + 3 < end}};
#pragma unroll
    for (const WindowRow& row : rows) {
      add_rows(pixels_of(a, tile_x, row), {}, run);
      run.first += first_of_row<Square>(a, tile_x, row);
    }
  }
  return run;
}

/// Computes `count` rows of a.segments: the sums of windows_rows pixels of each column. A thread
/// takes 4 columns. Grid: x over columns, y strides over rows of a.segments.
__global__ void __launch_bounds__(windows_threads) segments_kernel(FindArguments a, int64_t count) {
  const int64_t x = (int64_t{blockIdx.x} * windows_threads + threadIdx.x) * 4;
  follow_launch();
  if (x >= a.segment_pitch) return;
  for (int64_t segment = blockIdx.y; segment < count; segment += gridDim.y) {
    struct alignas(16) Four {
      WindowSegment at[4];
    } sums{};
#pragma unroll 8
    for (int64_t y = segment * a.windows_rows; y < (segment + 1) * a.windows_rows; ++y) {
      if (y >= a.image_height) break;
      const unsigned pixels = load_word(a.image + y * a.image_pitch, x, a.image_width);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const unsigned pixel = pixels >> (8 * i) & 0xff;
        sums.at[i].sum += pixel;
        sums.at[i].square += pixel * pixel;
      }
    }
    *reinterpret_cast<Four*>(a.segments + segment * a.segment_pitch + x) = sums;
  }
}

/// Computes the sums of all windows. Grid: x over tiles of places, y strides over rows of tiles.
template <bool with_sums, class Square>
__global__ void __launch_bounds__(windows_threads) windows_kernel(FindArguments a) {
  __shared__ WindowsShared<Square> s;
  const int64_t tile_x = int64_t{blockIdx.x} * windows_tile_columns;
  const int64_t x = tile_x + static_cast<int>(threadIdx.x) * windows_columns;
  follow_launch();
  for (int64_t tile_y = int64_t{blockIdx.y} * a.windows_rows; tile_y < a.rows;
       tile_y += int64_t{gridDim.y} * a.windows_rows) {
    const int64_t end = min(tile_y + a.windows_rows, a.rows);
    WindowRun<Square> run = begin_windows<Square>(a, tile_x, tile_y);
    for (int64_t y = tile_y; y < end; ++y) {
      // Loads the next row's pixels now, so that they arrive while this row's sums are computed.
      const bool more = y + 1 < end;
      const WindowRow enters(a, tile_x, y + a.templ_height, more), leaves(a, tile_x, y, more);
      const WindowPair<Square> here = scan_windows(s, static_cast<int>(y & 1), run, a.templ_width);
      if (x < a.columns) store_windows<with_sums>(a, y * a.scratch_pitch + x, here, run.step);
      add_rows(pixels_of(a, tile_x, enters), pixels_of(a, tile_x, leaves), run);
      run.first += first_of_row<Square>(a, tile_x, enters);
      run.first -= first_of_row<Square>(a, tile_x, leaves);
    }
    // The next tile may write to the buffer that other threads still read.
    __syncthreads();
  }
}

}  // namespace warpwise::kernels::find
