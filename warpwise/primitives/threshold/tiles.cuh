#pragma once

#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/threshold/kernel.cuh"

// The kernel threshold_tiles, for windows whose halo fits a thread block and for which bands.cuh is
// slower or cannot run (launch.hpp). Fit for nvcc and NVRTC: no host headers.
//
// A block goes down a strip of columns by tiles of threshold_tile_rows rows. A thread slides the
// sums of one word's columns down the tile into shared memory. Then each lane of a warp takes a row
// and slides along it: one column's sum comes in, one goes out.
namespace warpwise::kernels::threshold {

/// Returns sum + the dot product of the 16-bit numbers of `pair` and two signed bytes of `weights`.
__device__ inline int plus_pair(int sum, unsigned pair, unsigned weights) {
  int result;
  asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(pair), "r"(weights), "r"(sum));
  return result;
}

/// Column sums of one word of pixels. A field holds two 16-bit sums for u8, one sum for u16.
struct ColumnSums {
  unsigned first;
  unsigned second;
};

/// The columns of a word, some of which may lie beyond the image. Byte selectors, computed once,
/// repeat the edge pixel there.
template <class Pixel>
struct TileColumns {
  static constexpr int count = threshold_pixels_per_word<Pixel>;
  int at;           ///< first pixel of the word, moved inside the image
  unsigned first;   ///< selector of the bytes that make ColumnSums::first
  unsigned second;  ///< selector of the bytes that make ColumnSums::second
  unsigned all;     ///< selector for all of the columns' pixels

  __device__ TileColumns(int x, int width) {
    at = max(min(x, width - count), 0);
    const auto of = [&](int i) -> unsigned { return max(min(x + i, width - 1), 0) - at; };
    if constexpr (sizeof(Pixel) == 1) {
      first = 0x4040 | of(0) | of(1) << 8;
      second = 0x4040 | of(2) | of(3) << 8;
      all = of(0) | of(1) << 4 | of(2) << 8 | of(3) << 12;
    } else {
      first = 0x4410 + 0x22 * of(0);
      second = 0x4410 + 0x22 * of(1);
      all = 0x1010 + 0x22 * of(0) + 0x2200 * of(1);
    }
  }

  __device__ void add(ColumnSums& sums, unsigned word) const {
    sums.first += permuted(word, 0, first);
    sums.second += permuted(word, 0, second);
  }
  __device__ void subtract(ColumnSums& sums, unsigned word) const {
    sums.first -= permuted(word, 0, first);
    sums.second -= permuted(word, 0, second);
  }
};

/// Walks down the words at one column; beyond the image it repeats the edge row. `whole`: the words
/// are aligned and inside their rows. `inside`: all rows are inside the image.
template <class Pixel, bool whole, bool inside>
class TileWalk {
 public:
  __device__ TileWalk(const ThresholdSource& src, int x, int y)
      : at_(src.data + clamp_index(y, src.height) * src.pitch + x * int{sizeof(Pixel)}), y_(y) {}

  __device__ unsigned word(const ThresholdSource& src) const {
    if constexpr (whole) {
      return *reinterpret_cast<const unsigned*>(at_);
    } else {
      unsigned word = 0;
      constexpr int count = threshold_pixels_per_word<Pixel>;
      const int last = static_cast<int>(src.width) - 1;  // an image may be narrower than a word
#pragma unroll
      for (int i = 0; i < count; ++i) {
        word |= load_pixel<Pixel>(at_, min(i, last)) << 32 / count * i;
      }
      return word;
    }
  }

  __device__ void step(const ThresholdSource& src) {
    if (inside || static_cast<unsigned>(y_) < static_cast<unsigned>(src.height - 1)) {
      at_ += src.pitch;
    }
    ++y_;
  }

 private:
  const unsigned char* at_;
  int y_;
};

/// Returns the column sums over the window's rows around row `centre`.
template <class Pixel, bool whole>
__device__ ColumnSums tile_start(const TileArguments& a, const TileColumns<Pixel>& columns,
                                 int centre) {
  TileWalk<Pixel, whole, false> row(a.src, columns.at, centre - a.half);
  ColumnSums sums = {0, 0};
  // Loads of `batch` rows are issued before the first is used; rows below the window add 0.
  constexpr int batch = whole ? 32 : 4;
  const int rows = 2 * a.half + 1;
#pragma unroll 1
  for (int r = 0; r < rows; r += batch) {
    unsigned words[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      words[i] = r + i < rows ? row.word(a.src) : 0;
      row.step(a.src);
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) columns.add(sums, words[i]);
  }
  return sums;
}

/// Slides `sums` down the tile, starting from the window around the row above the tile. Writes each
/// row's sums to shared memory, and the row's pixels if pixels_out is not null.
template <class Pixel, bool whole, bool inside>
__device__ void slide_down(const TileArguments& a, const TileColumns<Pixel>& columns, int top,
                           ColumnSums& sums, unsigned* sums_out, unsigned* pixels_out) {
  // Loads of `batch` rows are issued before the first is used. Unaligned words take several loads.
  constexpr int batch = whole ? 16 : 2;
  TileWalk<Pixel, whole, inside> coming(a.src, columns.at, top + a.half);
  TileWalk<Pixel, whole, inside> going(a.src, columns.at, top - a.half - 1);
  TileWalk<Pixel, whole, inside> here(a.src, columns.at, top);
#pragma unroll 1
  for (int r = 0; r < threshold_tile_rows; r += batch) {
    unsigned in[batch];
    unsigned out[batch];
    unsigned pixels[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      in[i] = coming.word(a.src);
      out[i] = going.word(a.src);
      if (pixels_out != nullptr) pixels[i] = here.word(a.src);
      coming.step(a.src);
      going.step(a.src);
      here.step(a.src);
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      // One addition updates two sums of 16 bits. Neither overflows: 256 rows of 255 fit 16 bits.
      columns.add(sums, in[i]);
      columns.subtract(sums, out[i]);
      sums_out[(r + i) * threshold_tile_sums_pitch] = sums.first;
      sums_out[(r + i) * threshold_tile_sums_pitch + threshold_tile_threads] = sums.second;
      if (pixels_out != nullptr) {
        pixels_out[(r + i) * threshold_tile_pixels_pitch] = permuted(pixels[i], 0, columns.all);
      }
    }
  }
}

/// Iterator over a row's column sums, one word of pixels at a time. The row holds ColumnSums::first
/// of all words, then ColumnSums::second. `odd` (u8): starts at the second sum of a field.
template <class Pixel, bool odd>
class TileStream {
 public:
  __device__ TileStream(const unsigned* sums, int column)
      : first_(sums + place(column)), second_(sums + place(column + per_sum)) {
    sums_[0] = *first_;
    sums_[1] = *second_;
  }

  /// Loads the sums of word i + 1; advance() moves on to them. Call with i = 0, 1, 2, …
  __device__ void fetch(int i) {
    sums_[2] = first_[i + 1];
    sums_[3] = second_[i + 1];
  }
  __device__ void advance() {
    sums_[0] = sums_[2];
    sums_[1] = sums_[3];
  }

  /// Returns total ± the sum of column k. If `odd`, the last column's sum is in the fetched word.
  __device__ int add(int total, int k) const {
    if constexpr (per_sum == 1) return total + sums_[k];
    return plus_pair(total, sums_[(k + odd) / 2], (k + odd) % 2 == 0 ? 0x0001 : 0x0100);
  }
  __device__ int subtract(int total, int k) const {
    if constexpr (per_sum == 1) return total - sums_[k];
    return plus_pair(total, sums_[(k + odd) / 2], (k + odd) % 2 == 0 ? 0x00ff : 0xff00);
  }

 private:
  static constexpr int per_word = threshold_pixels_per_word<Pixel>;
  static constexpr int per_sum = per_word / 2;

  static __device__ int place(int column) {
    return column / per_word + column / per_sum % 2 * threshold_tile_threads;
  }

  const unsigned* first_;
  const unsigned* second_;
  unsigned sums_[4];
};

/// Returns less_sum + area times pixel k of a word.
template <class Pixel>
__device__ int tile_excess(int less_sum, unsigned word, int k, unsigned area) {
  if constexpr (sizeof(Pixel) == 2) {
    return less_sum + static_cast<int>((k == 0 ? word & 0xffff : word >> 16) * area);
  } else {
    // The factor of byte k is the area, which fits in 16 bits. The factor of its neighbour is 0.
    int result;
    const unsigned factor = k % 2 == 0 ? area : area << 16;
    if (k < 2) {
      asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factor), "r"(word), "r"(less_sum));
    } else {
      asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factor), "r"(word), "r"(less_sum));
    }
    return result;
  }
}

/// Thresholds `words` words of a row's pixels in place, while it slides the window's sum along the
/// row. `column` is the first pixel's index in the row's sums; (x, y) is its place in the image.
template <class Pixel, bool with_mean, bool odd>
__device__ void slide_along(const TileArguments& a, const unsigned* sums, int column,
                            unsigned* pixels, int words, int x, int y) {
  constexpr int count = threshold_pixels_per_word<Pixel>;
  // The sums that come in and the sums that go out start in different halves of a pair.
  TileStream<Pixel, odd> in(sums, column + a.half + 1);
  TileStream<Pixel, !odd> out(sums, column - a.half);

  int less_sum = a.bias;
  TileStream<Pixel, !odd> window = out;  // window of the first pixel
  const int side = 2 * a.half + 1;
  for (int i = 0; i < side / count; ++i, window.advance()) {
    window.fetch(i);
#pragma unroll
    for (int k = 0; k < count; ++k) less_sum = window.subtract(less_sum, k);
  }
  window.fetch(side / count);
#pragma unroll
  for (int k = 0; k < count - 1; ++k) {
    if (k < side % count) less_sum = window.subtract(less_sum, k);
  }

  constexpr unsigned everywhere = sizeof(Pixel) == 1 ? 0x01010101 : 0x00010001;
  const unsigned above = a.out.above * everywhere;
  const unsigned below = a.out.below * everywhere;
  unsigned word = pixels[0];
#pragma unroll 4
  for (int i = 0; i < words; ++i) {
    // Loads come before the store, because the compiler cannot move them up past it. The word
    // behind the last one is the next warp's, so the index stops at the last.
    const unsigned next_word = pixels[min(i + 1, words - 1)];
    in.fetch(i);
    out.fetch(i);
    int excess[count];
#pragma unroll
    for (int k = 0; k < count; ++k) {
      excess[k] = tile_excess<Pixel>(less_sum, word, k, a.area);
      if constexpr (with_mean) {
        if (x + count * i + k < a.src.width && y < a.src.height) {
          store_mean<Pixel>(a.out, x + count * i + k, y, static_cast<uint32_t>(a.bias - less_sum),
                            static_cast<uint32_t>(a.area));
        }
      }
      less_sum = in.subtract(out.add(less_sum, k), k);
    }
    unsigned is_below;
    if constexpr (sizeof(Pixel) == 1) {
      is_below = permuted(permuted(excess[0], excess[1], 0x00fb),
                          permuted(excess[2], excess[3], 0x00fb), 0x5410);
    } else {
      is_below = permuted(excess[0], excess[1], 0xffbb);
    }
    pixels[i] = (is_below & below) | (~is_below & above);
    word = next_word;
    in.advance();
    out.advance();
  }
}

/// Writes the pixels of a word that are inside the image. `whole`: all pixels are inside, and the
/// word is aligned.
template <class Pixel, bool whole>
__device__ void store_results(const TileArguments& a, unsigned char* row, int x, unsigned word) {
  if constexpr (whole) {
    *reinterpret_cast<unsigned*>(row + x * int{sizeof(Pixel)}) = word;
  } else {
    constexpr int count = threshold_pixels_per_word<Pixel>;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if (x + k < a.src.width)
        store_element(row, x + k, static_cast<Pixel>(word >> 32 / count * k));
    }
  }
}

/// Writes the words at column x of `rows` rows from y on.
template <class Pixel, bool whole>
__device__ void store_rows(const TileArguments& a, const unsigned* words, int x, int y, int rows) {
  constexpr int batch = 8;
  unsigned char* row = a.out.dst + y * a.out.dst_pitch;
  int r = 0;
  for (; r + batch <= rows; r += batch) {
    unsigned word[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) word[i] = words[(r + i) * threshold_tile_pixels_pitch];
#pragma unroll
    for (int i = 0; i < batch; ++i, row += a.out.dst_pitch) {
      store_results<Pixel, whole>(a, row, x, word[i]);
    }
  }
#pragma unroll 1
  for (; r < rows; ++r, row += a.out.dst_pitch) {
    store_results<Pixel, whole>(a, row, x, words[r * threshold_tile_pixels_pitch]);
  }
}

/// Computes mean and exact_mean. Grid: x covers the columns in strips, y strides over segments.
template <class Pixel, bool with_mean>
__global__ void __launch_bounds__(threshold_tile_threads, threshold_tile_blocks)
    threshold_tiles(TileArguments a) {
  constexpr int count = threshold_pixels_per_word<Pixel>;
  constexpr int warps = threshold_tile_threads / 32;
  __shared__ unsigned sums[threshold_tile_rows * threshold_tile_sums_pitch];
  __shared__ unsigned pixels[threshold_tile_rows * threshold_tile_pixels_pitch];
  const int thread = static_cast<int>(threadIdx.x);
  const int width = static_cast<int>(a.src.width);
  const int height = static_cast<int>(a.src.height);
  const int strip = count * a.strip_words;
  const int halo = count * a.halo_words;
  const int left = static_cast<int>(blockIdx.x) * strip;
  const int x = left - halo + count * thread;
  const TileColumns<Pixel> columns(x, width);
  const bool used = thread < a.strip_words + 2 * a.halo_words;
  const bool inner = x >= left && x < min(left + strip, width);
  unsigned* const own_sums = sums + thread;
  unsigned* const own_pixels = inner ? pixels + thread - a.halo_words : nullptr;
  const auto are_words = [](const void* data, int64_t pitch, int at) {
    const auto address = reinterpret_cast<cuda::std::uintptr_t>(data) + at * sizeof(Pixel);
    return ((address | pitch) & 3) == 0;
  };
  const bool src_words = are_words(a.src.data, a.src.pitch, columns.at) && width >= count;
  const bool dst_words = are_words(a.out.dst, a.out.dst_pitch, x) && x + count <= width;
  // A lane takes one row of the tile and slides along its warp's words.
  const int lane = thread % 32;
  const int words = a.strip_words / warps;
  const int begin = thread / 32 * words;
  unsigned* const row_pixels = pixels + lane * threshold_tile_pixels_pitch + begin;
  const unsigned* const row_sums = sums + lane * threshold_tile_sums_pitch;

  follow_launch();
  for (int64_t segment = int64_t{blockIdx.y} * a.segment_rows; segment < height;
       segment += int64_t{gridDim.y} * a.segment_rows) {
    const int first = static_cast<int>(segment);
    const int end = min(first + a.segment_rows, height);
    ColumnSums window = {0, 0};
    if (used) {
      window = src_words ? tile_start<Pixel, true>(a, columns, first - 1)
                         : tile_start<Pixel, false>(a, columns, first - 1);
    }
    for (int top = first; top < end; top += threshold_tile_rows) {
      if (used) {
        const bool inside = top - a.half > 0 && top + threshold_tile_rows + a.half < height;
        if (!src_words) {
          slide_down<Pixel, false, false>(a, columns, top, window, own_sums, own_pixels);
        } else if (inside) {
          slide_down<Pixel, true, true>(a, columns, top, window, own_sums, own_pixels);
        } else {
          slide_down<Pixel, true, false>(a, columns, top, window, own_sums, own_pixels);
        }
      }
      __syncthreads();
      const int column = halo + count * begin;
      if (a.half % 2 == 0) {
        slide_along<Pixel, with_mean, true>(a, row_sums, column, row_pixels, words,
                                            left + count * begin, top + lane);
      } else {
        slide_along<Pixel, with_mean, false>(a, row_sums, column, row_pixels, words,
                                             left + count * begin, top + lane);
      }
      __syncthreads();
      if (inner) {
        const int rows = min(threshold_tile_rows, end - top);
        if (dst_words)
          store_rows<Pixel, true>(a, own_pixels, x, top, rows);
        else
          store_rows<Pixel, false>(a, own_pixels, x, top, rows);
      }
    }
  }
}

}  // namespace warpwise::kernels::threshold
