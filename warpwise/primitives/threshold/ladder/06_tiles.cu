// Idea: a lane a row. A block slides its columns' sums down TILE_ROWS = 32 rows into shared memory,
//   as in the step before; then each lane slides along one of these rows, a warp's share of the
//   strip, one sum in, one out, instead of the warp making prefix sums. A thread owns the four
//   columns of one word: their sums fill two registers, in 16 bits each, and so does shared memory.
//   The pixels themselves wait in shared memory, too; the result takes their place and is written
//   in words.
// Expected: a quarter of the instructions down the columns. Along a row two reads of shared memory
//   and one addition a pixel, without a warp's exchange of partial sums. The rows of the tile are
//   an odd number of words apart, so that lanes in one column meet 32 banks. Selectors of bytes,
//   made once, stand for the border.
// Next limit: shared memory's instructions: of PAIRS, two neighbours' sums come in one access, and
//   the dot product that adds one of them needs no unpacking.
#include "problem.hpp"

using warpwise::ladders::clamped;

constexpr int warps = BLOCK_X / 32;
constexpr int tile_rows = 32;
// In words. A row of sums: the first two of each thread's four columns, then the others.
constexpr int sums_pitch = 2 * BLOCK_X + 1;
constexpr int pixels_pitch = BLOCK_X - 3;  // the halo takes a word on either side at least

extern __shared__ unsigned shared[];

__device__ unsigned permuted(unsigned a, unsigned b, unsigned selector) {
  unsigned result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
  return result;
}

/// sum + one of the two numbers in pair, weighed by one of the two bytes of weights.
__device__ int plus(int sum, unsigned pair, unsigned weights) {
  int result;
  asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(pair), "r"(weights), "r"(sum));
  return result;
}
constexpr unsigned first_of = 0x0001, second_of = 0x0100;
constexpr unsigned less_first = 0x00ff, less_second = 0xff00;

/// less_sum + byte k of word times area, of which 16 bits hold the area.
__device__ int excess_at(int k, unsigned word, unsigned area, int less_sum) {
  int result;
  const unsigned factor = k % 2 == 0 ? area : area << 16;
  if (k < 2) {
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factor), "r"(word), "r"(less_sum));
  } else {
    asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factor), "r"(word), "r"(less_sum));
  }
  return result;
}

/// Four neighbouring columns, of which some may lie beyond the image.
struct Columns {
  int at;           // the first of four pixels inside of the image…
  unsigned first;   // …and which of them are the columns 0 and 1,
  unsigned second;  // 2 and 3, each with a zero byte behind it,
  unsigned all;     // or all four.

  __device__ Columns(int x, int width) : at(max(min(x, width - 4), 0)) {
    const auto of = [&](int i) -> unsigned { return clamped(x + i, width) - at; };
    first = 0x4040 | of(0) | of(1) << 8;
    second = 0x4040 | of(2) | of(3) << 8;
    all = of(0) | of(1) << 4 | of(2) << 8 | of(3) << 12;
  }
};

template <bool whole_words>
__device__ unsigned load(const unsigned char* pixels, int width) {
  if (whole_words) return *reinterpret_cast<const unsigned*>(pixels);
  unsigned word = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) word |= pixels[min(i, width - 1)] << 8 * i;
  return word;
}

struct Sums {
  unsigned first;
  unsigned second;
};

/// Walks down the rows of a column; beyond the image it stays where it is.
template <bool inside>
struct Walk {
  const unsigned char* at;
  int y;

  __device__ Walk(const warpwise::ladders::ThresholdProblem& p, int column, int y)
      : at(p.src + clamped(y, p.height) * p.src_pitch + column), y(y) {}
  __device__ void step(const warpwise::ladders::ThresholdProblem& p) {
    if (inside || static_cast<unsigned>(y) < static_cast<unsigned>(p.height - 1)) at += p.src_pitch;
    ++y;
  }
};

/// Makes the sums of the window's rows around row y from those around the row above, for each row of
/// the tile, and puts them and the row's pixels into shared memory.
template <bool whole_words, bool inside>
__device__ void slide_down(const warpwise::ladders::ThresholdProblem& p, const Columns& columns,
                           int top, Sums& sums, unsigned* sums_out, unsigned* pixels_out) {
  // Rows whose loads are asked for before the first is used. Bytes are few enough in words only.
  constexpr int batch = whole_words ? 8 : 2;
  Walk<inside> coming(p, columns.at, top + p.half);
  Walk<inside> going(p, columns.at, top - p.half - 1);
  Walk<inside> here(p, columns.at, top);
#pragma unroll 1
  for (int r = 0; r < tile_rows; r += batch) {
    unsigned in[batch], out[batch], pixels[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      in[i] = load<whole_words>(coming.at, p.width);
      out[i] = load<whole_words>(going.at, p.width);
      if (pixels_out != nullptr) pixels[i] = load<whole_words>(here.at, p.width);
      coming.step(p), going.step(p), here.step(p);
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      // Both halves at once: neither sum leaves its 16 bits.
      sums.first += permuted(in[i], 0, columns.first) - permuted(out[i], 0, columns.first);
      sums.second += permuted(in[i], 0, columns.second) - permuted(out[i], 0, columns.second);
      sums_out[i * sums_pitch] = sums.first;
      sums_out[i * sums_pitch + BLOCK_X] = sums.second;
      if (pixels_out != nullptr) {
        pixels_out[i * pixels_pitch] = permuted(pixels[i], 0, columns.all);
      }
    }
    sums_out += batch * sums_pitch;
    if (pixels_out != nullptr) pixels_out += batch * pixels_pitch;
  }
}

template <bool whole_words>
__device__ Sums sums_around(const warpwise::ladders::ThresholdProblem& p, const Columns& columns,
                            int centre) {
  Walk<false> row(p, columns.at, centre - p.half);
  Sums sums = {0, 0};
#pragma unroll 8
  for (int i = 0; i < 2 * p.half + 1; ++i) {
    const unsigned pixels = load<whole_words>(row.at, p.width);
    row.step(p);
    sums.first += permuted(pixels, 0, columns.first);
    sums.second += permuted(pixels, 0, columns.second);
  }
  return sums;
}

/// Where the pair that holds column c of the strip lies in a row of sums, in words.
__device__ int pair_of(int c) { return c / 4 + (c & 2) / 2 * BLOCK_X; }

/// The number before the first that comes in: pairs are read in order from a column of any parity.
/// Puts 255 or 0 in the place of `words` words of pixels of one row.
template <bool odd>
__device__ void slide_along_pairs(const warpwise::ladders::ThresholdProblem& p,
                                  const unsigned* sums, int first, int halo, unsigned* pixels,
                                  int words) {
  // What comes in with the first step, and what goes out.
  const int in = first + halo + p.half + 1;
  const int out = first + halo - p.half;
  int less_sum = p.bias;
  for (int c = out; c < in; ++c) {
    less_sum = plus(less_sum, sums[pair_of(c)], c % 2 == 0 ? less_first : less_second);
  }
  const unsigned* const in0 = sums + pair_of(in);
  const unsigned* const in1 = sums + pair_of(in + 2);
  const unsigned* const out0 = sums + pair_of(out);
  const unsigned* const out1 = sums + pair_of(out + 2);
  unsigned in_next = odd ? *in0 : 0;
  unsigned out_next = odd ? 0 : *out0;
#pragma unroll 4
  for (int i = 0; i < words; ++i) {
    // Of an odd `in` the even numbers that go out start a pair, and the other way round.
    unsigned i0, i1, i2, o0, o1, o2;
    if (odd) {
      i0 = in_next, i1 = in1[i], i2 = in0[i + 1];
      o0 = out0[i], o1 = out1[i], o2 = 0;
      in_next = i2;
    } else {
      i0 = in0[i], i1 = in1[i], i2 = 0;
      o0 = out_next, o1 = out1[i], o2 = out0[i + 1];
      out_next = o2;
    }
    const unsigned word = pixels[i];
    int excess[4];
    const auto slide = [&](unsigned add, unsigned add_which, unsigned less, unsigned less_which) {
      less_sum = plus(plus(less_sum, add, add_which), less, less_which);
    };
    const auto excess_of = [&](int k) { return excess_at(k, word, p.area, less_sum); };
    excess[0] = excess_of(0);
    odd ? slide(o0, first_of, i0, less_second) : slide(o0, second_of, i0, less_first);
    excess[1] = excess_of(1);
    odd ? slide(o0, second_of, i1, less_first) : slide(o1, first_of, i0, less_second);
    excess[2] = excess_of(2);
    odd ? slide(o1, first_of, i1, less_second) : slide(o1, second_of, i1, less_first);
    excess[3] = excess_of(3);
    odd ? slide(o1, second_of, i2, less_first) : slide(o2, first_of, i1, less_second);
    // The sign of each, eight times.
    pixels[i] = ~permuted(permuted(excess[0], excess[1], 0x00fb),
                          permuted(excess[2], excess[3], 0x00fb), 0x5410);
  }
}

/// The same, number by number.
__device__ void slide_along(const warpwise::ladders::ThresholdProblem& p, const unsigned* sums,
                            int first, int halo, unsigned* pixels, int words) {
  const int in = first + halo + p.half + 1;
  const int out = first + halo - p.half;
  const auto number = [&](int c) {
    return reinterpret_cast<const unsigned short*>(sums + pair_of(c)) + c % 2;
  };
  int less_sum = p.bias;
  for (int c = out; c < in; ++c) less_sum -= *number(c);
  const unsigned short* ins[4];
  const unsigned short* outs[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) ins[k] = number(in + k), outs[k] = number(out + k);
#pragma unroll 4
  for (int i = 0; i < words; ++i) {
    const unsigned word = pixels[i];
    int excess[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      excess[k] = excess_at(k, word, p.area, less_sum);
      less_sum += outs[k][2 * i] - ins[k][2 * i];
    }
    pixels[i] = ~permuted(permuted(excess[0], excess[1], 0x00fb),
                          permuted(excess[2], excess[3], 0x00fb), 0x5410);
  }
}

template <bool whole_words>
__device__ void store_rows(const warpwise::ladders::ThresholdProblem& p, const unsigned* pixels,
                           int x, int y, int rows) {
  unsigned char* dst = p.dst + y * p.dst_pitch + x;
#pragma unroll 8
  for (int r = 0; r < rows; ++r) {
    const unsigned word = pixels[r * pixels_pitch];
    if (whole_words) {
      *reinterpret_cast<unsigned*>(dst) = word;
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (x + i < p.width) dst[i] = static_cast<unsigned char>(word >> 8 * i);
      }
    }
    dst += p.dst_pitch;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X, 512 / BLOCK_X)
    threshold(warpwise::ladders::ThresholdProblem p) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  unsigned* const sums = shared;
  unsigned* const pixels = shared + tile_rows * sums_pitch;
  const int halo = p.half / 4 * 4 + 4;  // whole words, and more than half
  // Each warp takes whole words of the strip.
  const int blocks = static_cast<int>(gridDim.x);
  const int strip = (p.width + blocks * 4 * warps - 1) / (blocks * 4 * warps) * 4 * warps;
  const int left = static_cast<int>(blockIdx.x) * strip;
  const int x = left - halo + 4 * thread;
  const Columns columns(x, p.width);
  const bool used = 4 * thread < strip + 2 * halo;
  const bool inner = x >= left && x < min(left + strip, p.width);
  unsigned* const own_sums = sums + thread;
  unsigned* const own_pixels = inner ? pixels + thread - halo / 4 : nullptr;
  const bool src_words =
      ((reinterpret_cast<unsigned long long>(p.src + columns.at) | p.src_pitch) & 3) == 0 &&
      p.width >= 4;
  const bool dst_words =
      ((reinterpret_cast<unsigned long long>(p.dst + x) | p.dst_pitch) & 3) == 0 &&
      x + 4 <= p.width;

  for (int first = static_cast<int>(blockIdx.y) * SEGMENT; first < p.height;
       first += static_cast<int>(gridDim.y) * SEGMENT) {
    const int end = min(first + SEGMENT, p.height);
    Sums window = {0, 0};
    if (used) {
      window = src_words ? sums_around<true>(p, columns, first - 1)
                         : sums_around<false>(p, columns, first - 1);
    }
    for (int top = first; top < end; top += tile_rows) {
      if (used) {
        const bool inside = top - p.half > 0 && top + tile_rows + p.half < p.height;
        const auto slide = [&](auto down) { down(p, columns, top, window, own_sums, own_pixels); };
        if (!src_words) slide(slide_down<false, false>);
        else inside ? slide(slide_down<true, true>) : slide(slide_down<true, false>);
      }
      __syncthreads();
      const int words = strip / (4 * warps);
      const int begin = thread / 32 * words;
      const unsigned* const row_sums = sums + lane * sums_pitch;
      unsigned* const row_pixels = pixels + lane * pixels_pitch + begin;
      if (PAIRS) {
        p.half % 2 == 0 ? slide_along_pairs<true>(p, row_sums, 4 * begin, halo, row_pixels, words)
                        : slide_along_pairs<false>(p, row_sums, 4 * begin, halo, row_pixels, words);
      } else {
        slide_along(p, row_sums, 4 * begin, halo, row_pixels, words);
      }
      __syncthreads();
      if (!inner) continue;
      const int rows = min(tile_rows, end - top);
      dst_words ? store_rows<true>(p, own_pixels, x, top, rows)
                : store_rows<false>(p, own_pixels, x, top, rows);
    }
  }
}
