#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/pixel.hpp"
#include "warpwise/primitives/sobel/arguments.hpp"

// The Sobel kernel. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels {

/// A thread's pixels of one row as they lie in memory, and the pixels on either side of them.
template <SobelSource source>
struct SobelRow {
  static constexpr int words = SobelPixels<source>::per_thread * SobelPixels<source>::bytes / 4;
  unsigned word[words];
  unsigned left;
  unsigned right;
};

__device__ inline bool is_aligned(const void* p, int bytes) {
  return (reinterpret_cast<cuda::std::uintptr_t>(p) & (bytes - 1)) == 0;
}

/// The bytes of one pixel at any address.
template <int bytes>
__device__ unsigned load_pixel(const unsigned char* p) {
  if constexpr (bytes == 2) {
    if (is_aligned(p, 2)) return __ldg(reinterpret_cast<const unsigned short*>(p));
  }
  if constexpr (bytes == 4) {
    if (is_aligned(p, 4)) return __ldg(reinterpret_cast<const unsigned*>(p));
  }
  unsigned pixel = 0;
#pragma unroll
  for (int b = 0; b < bytes; ++b) pixel |= static_cast<unsigned>(__ldg(p + b)) << (8 * b);
  return pixel;
}

/// Pixel x of a row, -1 <= x <= width, by the border rule; zero beyond, where no result needs it.
template <int bytes>
__device__ unsigned load_pixel_or_border(const SobelArguments& a, const unsigned char* row,
                                         cuda::std::int64_t x) {
  const cuda::std::int64_t at = x <= a.width ? border_index(x, a.width, a.border) : -1;
  return at < 0 ? 0 : load_pixel<bytes>(row + at * bytes);
}

/// 4 n bytes from p, of any alignment. Where p is not aligned to `vector_words` words, reads the
/// aligned words around them: up to 3 bytes before and behind.
template <int vector_words, int n>
__device__ void load_words(const unsigned char* p, unsigned (&word)[n]) {
  if (is_aligned(p, 4 * vector_words)) {
#pragma unroll
    for (int i = 0; i < n; i += vector_words) {
      if constexpr (vector_words == 4) {
        const uint4 v = __ldg(reinterpret_cast<const uint4*>(p + 4 * i));
        word[i] = v.x, word[i + 1] = v.y, word[i + 2] = v.z, word[i + 3] = v.w;
      } else if constexpr (vector_words == 2) {
        const uint2 v = __ldg(reinterpret_cast<const uint2*>(p + 4 * i));
        word[i] = v.x, word[i + 1] = v.y;
      } else {
        word[i] = __ldg(reinterpret_cast<const unsigned*>(p + 4 * i));
      }
    }
    return;
  }
  const auto address = reinterpret_cast<cuda::std::uintptr_t>(p);
  const auto* aligned = reinterpret_cast<const unsigned*>(address & ~cuda::std::uintptr_t{3});
  const unsigned shift = static_cast<unsigned>(address & 3) * 8;
  unsigned lower = __ldg(aligned);
#pragma unroll
  for (int i = 0; i < n; ++i) {
    // Of a p between whole words the last word holds nothing, and may lie outside the row.
    const unsigned upper = i + 1 < n || shift != 0 ? __ldg(aligned + i + 1) : 0;
    word[i] = __funnelshift_r(lower, upper, shift);
    lower = upper;
  }
}

/// The thread's part of row y, -1 <= y <= height.
template <SobelSource source>
__device__ SobelRow<source> load_row(const SobelArguments& a, cuda::std::int64_t x0,
                                     cuda::std::int64_t y) {
  using Pixels = SobelPixels<source>;
  constexpr int n = SobelRow<source>::words;
  constexpr int vector_words = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 1;
  SobelRow<source> result = {};
  const cuda::std::int64_t line = border_index(y, a.height, a.border);
  if (line < 0) return result;
  const unsigned char* row = a.src + line * a.src_pitch;
  const cuda::std::int64_t from = x0 * Pixels::bytes;
  const int around = is_aligned(row + from, 4 * vector_words) ? 0 : 3;
  if (from >= around && from + 4 * n + around <= a.width * Pixels::bytes) {
    load_words<vector_words>(row + from, result.word);
  } else {
#pragma unroll
    for (int i = 0; i < Pixels::per_thread; ++i) {
      const unsigned pixel = load_pixel_or_border<Pixels::bytes>(a, row, x0 + i);
      constexpr int word_bits = 32;
      const int at = i * Pixels::bytes * 8;
      result.word[at / word_bits] |= pixel << (at % word_bits);
      if (at % word_bits + Pixels::bytes * 8 > word_bits) {
        result.word[at / word_bits + 1] |= pixel >> (word_bits - at % word_bits);
      }
    }
  }
  result.left = load_pixel_or_border<Pixels::bytes>(a, row, x0 - 1);
  result.right = load_pixel_or_border<Pixels::bytes>(a, row, x0 + Pixels::per_thread);
  return result;
}

/// opencv_grey() of a pixel whose channels are the lower three bytes of a word: with each weight as
/// 128 · high + low, two byte-wise dot products make the sum.
__device__ inline int grey(const SobelArguments& a, unsigned pixel) {
  const unsigned high = __dp4a(pixel, a.grey_high, 0U);
  const unsigned low = __dp4a(pixel, a.grey_low, 1U << 14);
  return static_cast<int>((128 * high + low) >> 15);
}

/// The number that a pixel's bytes stand for; bits above them do not matter.
template <SobelSource source>
__device__ typename SobelPixels<source>::Work decode(const SobelArguments& a, unsigned pixel) {
  if constexpr (source == SobelSource::u8) return static_cast<int>(pixel & 0xff);
  else if constexpr (source == SobelSource::u16) return static_cast<int>(pixel & 0xffff);
  else if constexpr (source == SobelSource::f32) return __uint_as_float(pixel);
  else return grey(a, pixel);
}

/// Pixel i of the row, -1 <= i <= per_thread.
template <SobelSource source>
__device__ typename SobelPixels<source>::Work pixel_of(const SobelArguments& a,
                                                       const SobelRow<source>& row, int i) {
  using Pixels = SobelPixels<source>;
  if (i < 0) return decode<source>(a, row.left);
  if (i == Pixels::per_thread) return decode<source>(a, row.right);
  const int bit = i * Pixels::bytes * 8;
  unsigned pixel = row.word[bit / 32] >> (bit % 32);
  if (bit % 32 + Pixels::bytes * 8 > 32) {
    pixel = __funnelshift_r(row.word[bit / 32], row.word[bit / 32 + 1], bit % 32);
  }
  return decode<source>(a, pixel);
}

// Floats are rounded after each operation, as the CPU does it: no fused multiply-add.
__device__ inline int add(int x, int y) { return x + y; }
__device__ inline float add(float x, float y) { return __fadd_rn(x, y); }
__device__ inline int subtract(int x, int y) { return x - y; }
__device__ inline float subtract(float x, float y) { return __fsub_rn(x, y); }
__device__ inline int weigh(const SobelArguments& a, int centre, int sides) {
  return a.centre * centre + a.side * sides;
}
__device__ inline float weigh(const SobelArguments& a, float centre, float sides) {
  return __fadd_rn(__fmul_rn(static_cast<float>(a.centre), centre),
                   __fmul_rn(static_cast<float>(a.side), sides));
}

/// sqrt(n) rounded half up; `estimate` is off by at most one, integers say which way.
template <class Unsigned>
__device__ int rounded_root(Unsigned n, Unsigned estimate) {
  if (n > estimate * (estimate + 1)) ++estimate;
  else if (n > 0 && n <= estimate * (estimate - 1)) --estimate;
  return static_cast<int>(estimate);
}

/// |dx| + |dy| or sqrt(dx² + dy²).
template <SobelSource source, SobelResult result>
__device__ int magnitude(int dx, int dy) {
  if constexpr (result == SobelResult::l1) {
    return abs(dx) + abs(dy);
  } else if constexpr (source != SobelSource::u16) {
    const unsigned n = dx * dx + dy * dy;  // below 2^26
    return rounded_root(n, __float2uint_rn(__fsqrt_rn(__uint2float_rn(n))));
  } else {
    const unsigned long long n =  // below 2^42: the float root is off by less than 0.2
        static_cast<long long>(dx) * dx + static_cast<long long>(dy) * dy;
    return rounded_root<unsigned long long>(n, __float2uint_rn(__fsqrt_rn(__ull2float_rn(n))));
  }
}

template <SobelSource source, SobelResult result>
__device__ float magnitude(float dx, float dy) {
  if constexpr (result == SobelResult::l1) return __fadd_rn(fabsf(dx), fabsf(dy));
  else return __fsqrt_rn(__fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy)));
}

/// The bits of a result, in the low bits.
template <class Out>
__device__ unsigned result_bits(int value) {
  if constexpr (sizeof(Out) == 1) return static_cast<unsigned>(value < 255 ? value : 255);
  else if constexpr (sizeof(Out) == 2) return static_cast<unsigned>(value) & 0xffff;
  else return static_cast<unsigned>(value);
}
template <class Out>
__device__ unsigned result_bits(float value) {
  return __float_as_uint(value);
}

/// Writes the first `count` results of n words to p, of any alignment.
template <class Out, int n>
__device__ void store_results(unsigned char* p, const unsigned (&word)[n],
                              cuda::std::int64_t count) {
  constexpr int results = 4 * n / static_cast<int>(sizeof(Out));
  if (count >= results && is_aligned(p, 4 * n)) {
    if constexpr (n == 4) {
      *reinterpret_cast<uint4*>(p) = {word[0], word[1], word[2], word[3]};
    } else if constexpr (n == 2) {
      *reinterpret_cast<uint2*>(p) = {word[0], word[1]};
    } else {
      static_assert(n == 1, "results of a thread make one vector");
      *reinterpret_cast<unsigned*>(p) = word[0];
    }
    return;
  }
  const bool whole = is_aligned(p, sizeof(Out));
#pragma unroll
  for (int i = 0; i < results; ++i) {
    if (i >= count) break;
    constexpr int bytes = sizeof(Out);
    const unsigned bits = word[i * bytes / 4] >> (i * bytes % 4 * 8);
    if (whole) {
      reinterpret_cast<Out*>(p)[i] = static_cast<Out>(bits);
    } else {
#pragma unroll
      for (int b = 0; b < bytes; ++b) {
        p[i * bytes + b] = static_cast<unsigned char>(bits >> (8 * b));
      }
    }
  }
}

/// sobel(), with Out an unsigned integer of the result's size. Each thread writes per_thread
/// adjacent pixels of sobel_rows_per_thread rows.
///
/// Grid: x covers the row in pieces of sobel_block_width threads, y strides over the rows in steps
/// of sobel_block_rows.
template <SobelSource source, class Out, SobelResult result>
__global__ void __launch_bounds__(sobel_block_width* sobel_block_height)
    sobel_kernel(SobelArguments a) {
  using Pixels = SobelPixels<source>;
  using Work = typename Pixels::Work;
  constexpr int n = Pixels::per_thread;
  constexpr int rows = sobel_rows_per_thread;
  const cuda::std::int64_t x0 =
      (cuda::std::int64_t{blockIdx.x} * sobel_block_width + threadIdx.x) * n;
  if (x0 >= a.width) return;  // no barrier follows
  const cuda::std::int64_t stride = cuda::std::int64_t{gridDim.y} * sobel_block_rows;
  cuda::std::int64_t y0 =
      (cuda::std::int64_t{blockIdx.y} * sobel_block_height + threadIdx.y) * rows;
  for (; y0 < a.height; y0 += stride) {
    SobelRow<source> raw[rows + 2];
#pragma unroll
    for (int r = 0; r < rows + 2; ++r) {
      const cuda::std::int64_t y = y0 - 1 + r;
      raw[r] = load_row<source>(a, x0, y < a.height ? y : a.height);
    }
    // Of rows y - 2 to y of the loop below, each in place of the third before: the difference of
    // the neighbours p(x+1) - p(x-1), and the pixels smoothed along the row.
    Work difference[3][n];
    Work smoothed[3][n];
#pragma unroll
    for (int r = 0; r < rows + 2; ++r) {
#pragma unroll
      for (int i = 0; i < n; ++i) {
        const Work left = pixel_of(a, raw[r], i - 1);
        const Work right = pixel_of(a, raw[r], i + 1);
        difference[r % 3][i] = subtract(right, left);
        smoothed[r % 3][i] = weigh(a, pixel_of(a, raw[r], i), add(left, right));
      }
      const cuda::std::int64_t y = y0 + r - 2;  // the row whose last neighbour came
      if (r < 2 || y >= a.height) continue;
      const int below = r % 3, at = (r + 2) % 3, above = (r + 1) % 3;
      unsigned word[n * sizeof(Out) / 4] = {};
#pragma unroll
      for (int i = 0; i < n; ++i) {
        const Work dx = weigh(a, difference[at][i], add(difference[above][i], difference[below][i]));
        const Work dy = subtract(smoothed[below][i], smoothed[above][i]);
        Work value;
        if constexpr (result == SobelResult::component) value = a.dy ? dy : dx;
        else value = magnitude<source, result>(dx, dy);
        constexpr int bytes = sizeof(Out);
        word[i * bytes / 4] |= result_bits<Out>(value) << (i * bytes % 4 * 8);
      }
      store_results<Out>(a.dst + y * a.dst_pitch + x0 * sizeof(Out), word, a.width - x0);
    }
  }
}

}  // namespace warpwise::kernels
