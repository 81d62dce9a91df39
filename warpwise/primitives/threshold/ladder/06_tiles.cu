// Idea: one lane for each row. A block slides its columns' sums down 32 rows into shared memory, as
//   in the rung before. Then each lane slides along its row, over its warp's part of the strip. It
//   adds one column sum and subtracts one, instead of computing prefix sums. A thread owns the four
//   columns of a word, whose sums of 16 bits fit two registers. The pixels are in shared memory
//   too; the results replace them, and adjacent threads write them in words.
// Expected: down the columns, a quarter of the instructions. Along a row, a pixel takes two reads
//   of shared memory and two additions. The rows of a tile are an odd number of words apart, so
//   that lanes at one column access 32 banks. Byte selectors, computed once, repeat the edge pixel.
// Next limit: the instructions that read and unpack sums. With PAIRS one access loads two sums, and
//   dot products unpack them: factors of 0 leave out a sum or a pixel. The limit is then latency: a
//   word's sums are read only after the previous word's results are stored.
#include "problem.hpp"

using warpwise::ladders::clamped;
using Problem = warpwise::ladders::ThresholdProblem;

constexpr int warps = BLOCK_X / 32;
constexpr int tile_rows = 32;                // lanes of a warp
constexpr int sums_pitch = 2 * BLOCK_X + 1;  // words: all threads' first pairs, then second pairs
constexpr int pixels_pitch = BLOCK_X - 1;    // words; a strip's row has at most BLOCK_X - 2 of them

extern __shared__ unsigned shared[];

/// Returns the bytes of a and b that four hex digits name; a digit plus 8 repeats the sign bit.
__device__ unsigned permuted(unsigned a, unsigned b, unsigned selector) {
  unsigned result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
  return result;
}

/// Returns sum + the dot product of a pair's two numbers and two signed bytes of `weights`.
__device__ int plus(int sum, unsigned pair, unsigned weights) {
  int result;
  asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(pair), "r"(weights), "r"(sum));
  return result;
}

/// Returns less_sum, the bias minus the window's sum, plus byte k of word times area.
__device__ int excess(int less_sum, unsigned word, int k, unsigned area) {
  if (!PAIRS) return less_sum + static_cast<int>(word >> 8 * k & 0xff) * static_cast<int>(area);
  const unsigned factor = k % 2 == 0 ? area : area << 16;
  int sum;
  if (k < 2) {
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(factor), "r"(word), "r"(less_sum));
  } else {
    asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(factor), "r"(word), "r"(less_sum));
  }
  return sum;
}

/// The columns of a word, some of which may lie beyond the image.
struct Columns {
  int at;           // the first of four pixels inside the image
  unsigned first;   // selector of the pixels for columns 0 and 1
  unsigned second;  // selector for columns 2 and 3; a zero byte follows each pixel
  unsigned all;     // selector of the pixels for all four columns

  __device__ Columns(int x, int width) : at(max(min(x, width - 4), 0)) {
    const auto of = [&](int i) -> unsigned { return clamped(x + i, width) - at; };
    first = 0x4040 | of(0) | of(1) << 8;
    second = 0x4040 | of(2) | of(3) << 8;
    all = of(0) | of(1) << 4 | of(2) << 8 | of(3) << 12;
  }
};

struct Sums {
  unsigned first;
  unsigned second;
};

/// Walks down the four pixels at one column; beyond the image it repeats the edge row.
template <bool whole_words>
struct Walk {
  const unsigned char* at;
  int y;

  __device__ Walk(const Problem& p, int column, int y)
      : at(p.src + clamped(y, p.height) * p.src_pitch + column), y(y) {}

  __device__ unsigned next(const Problem& p) {
    unsigned word = 0;
    if (whole_words) word = *reinterpret_cast<const unsigned*>(at);
#pragma unroll
    for (int i = 0; !whole_words && i < 4; ++i) word |= at[min(i, p.width - 1)] << 8 * i;
    if (static_cast<unsigned>(y++) < static_cast<unsigned>(p.height - 1)) at += p.src_pitch;
    return word;
  }
};

/// Returns the column sums over the window's rows around row `centre`.
template <bool whole_words>
__device__ Sums sums_around(const Problem& p, const Columns& columns, int centre) {
  Walk<whole_words> row(p, columns.at, centre - p.half);
  Sums sums = {0, 0};
#pragma unroll 8
  for (int i = 0; i < 2 * p.half + 1; ++i) {
    const unsigned word = row.next(p);
    sums.first += permuted(word, 0, columns.first);
    sums.second += permuted(word, 0, columns.second);
  }
  return sums;
}

/// Slides the sums from the row above the tile down the tile, into shared memory.
template <bool whole_words>
__device__ void slide_down(const Problem& p, const Columns& columns, int top, Sums& sums,
                           unsigned* sums_out, unsigned* pixels_out) {
  constexpr int batch = whole_words ? 8 : 2;  // rows loaded before the first of them is used
  Walk<whole_words> coming(p, columns.at, top + p.half);
  Walk<whole_words> going(p, columns.at, top - p.half - 1);
  Walk<whole_words> here(p, columns.at, top);
#pragma unroll 1
  for (int r = 0; r < tile_rows; r += batch) {
    unsigned in[batch], out[batch], pixels[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) in[i] = coming.next(p), out[i] = going.next(p);
#pragma unroll
    for (int i = 0; i < batch; ++i) pixels[i] = here.next(p);
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      // One addition updates both sums of a pair: both results fit 16 bits, so carries cancel.
      sums.first += permuted(in[i], 0, columns.first) - permuted(out[i], 0, columns.first);
      sums.second += permuted(in[i], 0, columns.second) - permuted(out[i], 0, columns.second);
      sums_out[(r + i) * sums_pitch] = sums.first;
      sums_out[(r + i) * sums_pitch + BLOCK_X] = sums.second;
      if (pixels_out != nullptr) {
        pixels_out[(r + i) * pixels_pitch] = permuted(pixels[i], 0, columns.all);
      }
    }
  }
}

/// Reads a row's column sums in order, four at a time. `odd`: starts with the second of a pair.
template <bool odd>
struct Stream {
  const unsigned* first;
  const unsigned* second;
  int i = 0;
  unsigned pairs[3] = {};

  __device__ static int place(int column) { return column / 4 + column / 2 % 2 * BLOCK_X; }
  __device__ Stream(const unsigned* sums, int column)
      : first(sums + place(column)), second(sums + place(column + 2)) {}
  __device__ const unsigned* pair(int j) const {
    return j == 0 ? first + i : j == 1 ? second + i : first + i + 1;
  }
  __device__ void load(int four) {
    i = four;
#pragma unroll
    for (int j = 0; PAIRS && j < 2 + odd; ++j) pairs[j] = *pair(j);
  }
  /// Returns total plus (sign 1) or minus (sign -1) number k of the four.
  __device__ int change(int total, int k, int sign) const {
    const int j = (k + odd) / 2, half = (k + odd) % 2;
    if (PAIRS) return plus(total, pairs[j], (sign & 0xff) << 8 * half);
    return total + sign * reinterpret_cast<const unsigned short*>(pair(j))[half];
  }
};

/// Overwrites some words of pixels of one row with 255 or 0; the first is at `column`.
template <bool odd>
__device__ void slide_along(const Problem& p, const unsigned* sums, int column, unsigned* pixels,
                            int words) {
  Stream<odd> in(sums, column + p.half + 1);
  Stream<!odd> out(sums, column - p.half);
  int less_sum = p.bias;
  const int side = 2 * p.half + 1;
  for (int i = 0; i <= side / 4; ++i) {  // the first pixel's window
    out.load(i);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (4 * i + k < side) less_sum = out.change(less_sum, k, -1);
    }
  }
#pragma unroll 4
  for (int i = 0; i < words; ++i) {
    in.load(i), out.load(i);
    const unsigned word = pixels[i];
    int above[4];  // the pixel is above where this is not negative
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      above[k] = excess(less_sum, word, k, p.area);
      less_sum = in.change(out.change(less_sum, k, 1), k, -1);
    }
    pixels[i] = ~permuted(permuted(above[0], above[1], 0x00fb),
                          permuted(above[2], above[3], 0x00fb), 0x5410);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X, 512 / BLOCK_X) threshold(Problem p) {
  const int thread = static_cast<int>(threadIdx.x);
  unsigned* const sums = shared;
  unsigned* const pixels = shared + tile_rows * sums_pitch;
  const int halo = p.half / 4 * 4 + 4;  // pixels: more than p.half, in whole words
  const int blocks = static_cast<int>(gridDim.x);
  const int words = (p.width + blocks * 4 * warps - 1) / (blocks * 4 * warps);  // for each warp
  const int strip = 4 * warps * words;
  const int left = static_cast<int>(blockIdx.x) * strip;
  const int x = left - halo + 4 * thread;
  const Columns columns(x, p.width);
  const bool used = 4 * thread < strip + 2 * halo;
  const bool inner = x >= left && x < left + strip;  // even beyond the image: the lanes read it
  unsigned* const own_pixels = inner ? pixels + thread - halo / 4 : nullptr;
  const auto aligned = [](const unsigned char* at, long long pitch) {
    return ((reinterpret_cast<unsigned long long>(at) | pitch) & 3) == 0;
  };
  const bool src_words = aligned(p.src + columns.at, p.src_pitch) && p.width >= 4;
  const bool dst_words = aligned(p.dst + x, p.dst_pitch) && x + 4 <= p.width;

  for (int first = static_cast<int>(blockIdx.y) * SEGMENT; first < p.height;
       first += static_cast<int>(gridDim.y) * SEGMENT) {
    const int end = min(first + SEGMENT, p.height);
    Sums window = {0, 0};
    if (used) {
      window = src_words ? sums_around<true>(p, columns, first - 1)
                         : sums_around<false>(p, columns, first - 1);
    }
    for (int top = first; top < end; top += tile_rows) {
      if (used && src_words) slide_down<true>(p, columns, top, window, sums + thread, own_pixels);
      if (used && !src_words) slide_down<false>(p, columns, top, window, sums + thread, own_pixels);
      __syncthreads();
      const int lane = thread % 32;
      const int begin = thread / 32 * words;
      const unsigned* const row_sums = sums + lane * sums_pitch;
      unsigned* const row_pixels = pixels + lane * pixels_pitch + begin;
      p.half % 2 == 0 ? slide_along<true>(p, row_sums, halo + 4 * begin, row_pixels, words)
                      : slide_along<false>(p, row_sums, halo + 4 * begin, row_pixels, words);
      __syncthreads();
      // No barrier is needed here: each thread has its own words until the next tile's barrier.
      if (!inner || x >= p.width) continue;
      unsigned char* dst = p.dst + top * p.dst_pitch + x;
      for (int r = 0; r < min(tile_rows, end - top); ++r, dst += p.dst_pitch) {
        const unsigned word = own_pixels[r * pixels_pitch];
        if (dst_words) *reinterpret_cast<unsigned*>(dst) = word;
        for (int i = 0; !dst_words && i < min(4, p.width - x); ++i) {
          dst[i] = static_cast<unsigned char>(word >> 8 * i);
        }
      }
    }
  }
}
