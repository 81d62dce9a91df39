#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/sobel/numbers.cuh"
#include "warpwise/primitives/sobel/rows.cuh"

// The Sobel kernel. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::sobel {

/// A thread's pixels of a row, and their left and right neighbours, as Numbers. Four pixels make
/// two pairs: pixels 0 and 2, and pixels 1 and 3. The second pair then holds the right
/// neighbours of the first pair, and the first pair the left neighbours of the second.
template <class Number, int n>
struct SobelLine {
  Number left[n];
  Number at[n];
  Number right[n];
};

/// Returns a word whose third byte is the grey value of the pixel in `pixel`'s lower three bytes.
__device__ inline unsigned grey(const SobelArguments& a, unsigned pixel) {
  return __dp2a_lo(a.grey_first, pixel, __dp2a_hi(a.grey_third, pixel, 1U << 15));
}

/// Computes grey() of each pixel of a row. Pixels of three bytes lie across words; the weights are
/// shifted to match.
template <SobelSource source, int words, int n>
__device__ void grey_of_row(const SobelArguments& a, const unsigned (&row)[words],
                            unsigned (&value)[n]) {
  if constexpr (SobelPixels<source>::bytes == 4) {
#pragma unroll
    for (int i = 0; i < n; ++i) value[i] = grey(a, row[i]);
  } else {
    constexpr unsigned half = 1U << 15;
    const unsigned first = a.grey_first << 16;  // for a pixel that begins in byte 1 or 3 of a word
    const unsigned rest = __funnelshift_l(a.grey_first, a.grey_third, 16);
#pragma unroll
    for (int i = 0; i < n; i += 4) {
      const unsigned* word = row + i / 4 * 3;
      value[i] = grey(a, word[0]);
      value[i + 1] = __dp2a_hi(first, word[0], __dp2a_lo(rest, word[1], half));
      value[i + 2] = __dp2a_hi(a.grey_first, word[1], __dp2a_lo(a.grey_third, word[2], half));
      value[i + 3] = __dp2a_lo(first, word[2], __dp2a_hi(rest, word[2], half));
    }
  }
}

/// Returns two results of grey() as the halves of a word.
__device__ inline unsigned pair_of_grey(unsigned lower, unsigned upper) {
  return __byte_perm(lower, upper, 0x7632);
}

/// Sets `before` to the previous lane's last number, and `behind` to the next lane's first. Lane
/// 0's `before` is the `end` of lane r, last_lane's `behind` that of lane 16 + r (see SobelRows).
template <class T>
__device__ void exchange_ends(T first, T last, T end, unsigned last_lane, int r, T& before,
                              T& behind) {
  constexpr unsigned all_lanes = 0xffffffff;
  const unsigned lane = threadIdx.x;
  const T outside = __shfl_sync(all_lanes, end, (lane == 0 ? 0 : 16) + r);
  before = __shfl_up_sync(all_lanes, last, 1);
  behind = __shfl_down_sync(all_lanes, first, 1);
  if (lane == 0) before = outside;
  if (lane == last_lane) behind = outside;
}

/// Returns the number that a pixel's bytes encode; the bits above them are ignored.
template <SobelSource source>
__device__ auto decode(const SobelArguments& a, unsigned pixel) {
  if constexpr (source == SobelSource::u8)
    return static_cast<int>(pixel & 0xff);
  else if constexpr (source == SobelSource::u16)
    return static_cast<int>(pixel & 0xffff);
  else if constexpr (source == SobelSource::f32)
    return __uint_as_float(pixel);
  else
    return static_cast<int>(grey(a, pixel) >> 16);
}

/// Fills `line` from row r, with one pixel in each Number. The overload below packs two pixels into
/// each.
template <SobelSource source, int count, class Number, int n>
__device__ void read_line(const SobelArguments& a, const SobelRows<source, count>& rows, int r,
                          SobelLine<Number, n>& line) {
  if constexpr (SobelPixels<source>::colour) {
    unsigned value[n];
    grey_of_row<source>(a, rows.word[r], value);
#pragma unroll
    for (int i = 0; i < n; ++i) line.at[i] = static_cast<int>(value[i] >> 16);
  } else {
    constexpr int bits = SobelPixels<source>::bytes * 8;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      line.at[i] = decode<source>(a, rows.word[r][i * bits / 32] >> (i * bits % 32));
    }
  }
  exchange_ends(line.at[0], line.at[n - 1], decode<source>(a, rows.end), rows.last, r, line.left[0],
                line.right[n - 1]);
#pragma unroll
  for (int i = 1; i < n; ++i) {
    line.left[i] = line.at[i - 1];
    line.right[i - 1] = line.at[i];
  }
}

/// Fills `line` from row r, with two pixels in each SobelPair.
template <SobelSource source, int count, int centre, int side, int n>
__device__ void read_line(const SobelArguments& a, const SobelRows<source, count>& rows, int r,
                          SobelLine<SobelPair<centre, side>, n>& line) {
  unsigned outside;  // the number beside the warp's pixels, in both halves
  if constexpr (SobelPixels<source>::colour) {
    unsigned value[2 * n];
    grey_of_row<source>(a, rows.word[r], value);
#pragma unroll
    for (int i = 0; i < n; i += 2) {
      line.at[i].bits = pair_of_grey(value[2 * i], value[2 * i + 2]);
      line.at[i + 1].bits = pair_of_grey(value[2 * i + 1], value[2 * i + 3]);
    }
    const unsigned value_outside = grey(a, rows.end);
    outside = pair_of_grey(value_outside, value_outside);
  } else {
#pragma unroll
    for (int i = 0; i < n; i += 2) {
      line.at[i].bits = __byte_perm(rows.word[r][i / 2], 0, 0x4240);
      line.at[i + 1].bits = __byte_perm(rows.word[r][i / 2], 0, 0x4341);
    }
    outside = in_both(rows.end);
  }
  unsigned before, behind;
  exchange_ends(line.at[0].bits, line.at[n - 1].bits, outside, rows.last, r, before, behind);
#pragma unroll
  for (int i = 0; i < n; i += 2) {
    const unsigned last = i == 0 ? before : line.at[i - 1].bits;
    const unsigned next = i + 2 == n ? behind : line.at[i + 2].bits;
    line.left[i].bits = __byte_perm(last, line.at[i + 1].bits, 0x5432);
    line.right[i] = line.at[i + 1];
    line.left[i + 1] = line.at[i];
    line.right[i + 1].bits = __byte_perm(line.at[i].bits, next, 0x5432);
  }
}

/// Computes the results of single numbers and packs them as in memory.
template <class Out, SobelResult result, class Number, int n, int words>
__device__ void results_of(const SobelArguments& a, const Number (&dx)[n], const Number (&dy)[n],
                           unsigned (&word)[words]) {
#pragma unroll
  for (int i = 0; i < words; ++i) word[i] = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    Number value;
    if constexpr (result == SobelResult::component)
      value = a.dy ? dy[i] : dx[i];
    else
      value = magnitude<result>(dx[i], dy[i]);
    constexpr int bytes = sizeof(Out);
    word[i * bytes / 4] |= result_bits<Out>(value) << (i * bytes % 4 * 8);
  }
}

/// Computes the results of pairs and packs them as in memory.
template <class Out, SobelResult result, int centre, int side, int n, int words>
__device__ void results_of(const SobelArguments& a, const SobelPair<centre, side> (&dx)[n],
                           const SobelPair<centre, side> (&dy)[n], unsigned (&word)[words]) {
#pragma unroll
  for (int i = 0; i < n; i += 2) {
    const unsigned even = pair_of_results<Out, result>(a, dx[i], dy[i]);
    const unsigned odd = pair_of_results<Out, result>(a, dx[i + 1], dy[i + 1]);
    if constexpr (sizeof(Out) == 1) {
      word[i / 2] = __byte_perm(even, odd, 0x6240);
    } else {
      word[i] = __byte_perm(even, odd, 0x5410);
      word[i + 1] = __byte_perm(even, odd, 0x7632);
    }
  }
}

/// Number of thread blocks that a multiprocessor must hold. It leaves a thread 96 registers for
/// eight numbers a row, 64 for few rows and for rgba with results of one byte, otherwise 80.
template <SobelSource source, class Out, class Number, bool few_rows>
inline constexpr int sobel_resident_blocks =
    SobelThread<source, Number>::numbers == 8                       ? 5
    : few_rows || (source == SobelSource::rgba && sizeof(Out) == 1) ? 8
                                                                    : 6;

/// Computes the thread's pixels from x0 on, in its rows from y0 on (see SobelThread). Lanes right
/// of the image take part, because their neighbours need their pixels.
template <SobelSource source, class Out, SobelResult result, class Number, bool few_rows>
__device__ inline void sobel_rows(const SobelArguments& a, cuda::std::int64_t x0,
                                  cuda::std::int64_t y0) {
  using Thread = SobelThread<source, Number, few_rows>;
  constexpr int n = Thread::numbers;
  constexpr int words = Thread::pixels * static_cast<int>(sizeof(Out)) / 4;
  static_assert(sobel_block_width == 32, "a warp lies in one row");
  const int lane = static_cast<int>(threadIdx.x);
  // exchange_ends() gives lane 0 its left end only: lane 0 must not be the last lane as well.
  const cuda::std::int64_t to_border = a.width - (x0 - lane * Thread::pixels);
  const bool loads_vectors =
      (to_border >= sobel_block_width * Thread::pixels ||
       (few_rows && to_border > Thread::pixels && a.width % Thread::pixels == 0)) &&
      are_aligned(a.src, a.src_pitch, 4 * SobelPixels<source>::vector_words);
  const bool stores_vectors = x0 + Thread::pixels <= a.width &&
                              are_aligned(a.dst, a.dst_pitch, 4 * (words < 4 ? words : 4));
  if constexpr (!few_rows) follow_launch();
  const auto rows = load_rows<source, Thread::rows + 2>(a, x0, y0 - 1, loads_vectors);
  // Rows written as vectors and rows written as elements: one of the two numbers is zero.
  const int rows_left =
      y0 + Thread::rows <= a.height ? Thread::rows : static_cast<int>(a.height - y0);
  const int vector_rows = stores_vectors ? rows_left : 0;
  const int element_rows = stores_vectors ? 0 : rows_left;
  unsigned char* dst = a.dst + y0 * a.dst_pitch + x0 * sizeof(Out);

  // The difference p(x+1) - p(x-1) of the neighbours, and the pixels smoothed along the row, for
  // rows r - 2 to r of the loop below; row r overwrites row r - 3.
  Number difference[3][n];
  Number smoothed[3][n];
#pragma unroll
  for (int r = 0; r < Thread::rows + 2; ++r) {
    const int below = r % 3, at = (r + 2) % 3, above = (r + 1) % 3;
    SobelLine<Number, n> line;
    read_line(a, rows, r, line);
#pragma unroll
    for (int i = 0; i < n; ++i) {
      difference[below][i] = subtract(line.right[i], line.left[i]);
      smoothed[below][i] = smooth(a, line.at[i], add(line.left[i], line.right[i]));
    }
    if (r < 2) continue;  // a result needs three rows
    Number dx[n], dy[n];
#pragma unroll
    for (int i = 0; i < n; ++i) {
      dx[i] = weigh(a, difference[at][i], add(difference[above][i], difference[below][i]));
      dy[i] = subtract(smoothed[below][i], smoothed[above][i]);
    }
    unsigned word[words];
    results_of<Out, result>(a, dx, dy, word);
    if (r - 2 < vector_rows)
      store_vectors(dst, word);
    else if (r - 2 < element_rows)
      store_elements<Out>(dst, word, a.width - x0);
    dst += a.dst_pitch;
  }
}

/// sobel_x() and sobel_y() return the column and row of a thread's first pixel in a thread block.
template <class Thread>
__device__ cuda::std::int64_t sobel_x(unsigned block_x) {
  return (cuda::std::int64_t{block_x} * sobel_block_width + threadIdx.x) * Thread::pixels;
}
template <class Thread>
__device__ cuda::std::int64_t sobel_y(unsigned block_y) {
  return (cuda::std::int64_t{block_y} * blockDim.y + threadIdx.y) * Thread::rows;
}

/// Computes sobel() in Numbers. Out is an unsigned integer of the result's size.
///
/// Grid: x covers the row in pieces of sobel_block_width threads, y strides over the rows in steps
/// of a thread's rows times the block's height.
template <SobelSource source, class Out, SobelResult result, class Number, bool few_rows = false>
__global__ void __launch_bounds__(sobel_block_width* sobel_block_height,
                                  sobel_resident_blocks<source, Out, Number, few_rows>)
    sobel_kernel(SobelArguments a) {
  using Thread = SobelThread<source, Number, few_rows>;
  const cuda::std::int64_t x0 = sobel_x<Thread>(blockIdx.x);
  const cuda::std::int64_t stride = cuda::std::int64_t{gridDim.y} * blockDim.y * Thread::rows;
  if constexpr (few_rows) wait_for_launch();  // measured to be fastest here
  for (cuda::std::int64_t y0 = sobel_y<Thread>(blockIdx.y); y0 < a.height; y0 += stride) {
    sobel_rows<source, Out, result, Number, few_rows>(a, x0, y0);
  }
}

}  // namespace warpwise::kernels::sobel
