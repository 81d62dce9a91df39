#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/sobel/arguments.hpp"

// Loads and stores of the Sobel kernel, for rows of any alignment. For nvcc and NVRTC: no host
// headers.
namespace warpwise::kernels::sobel {

/// Last lane of a warp whose pixels are loaded: 31, or the last lane with pixels in the image. Only
/// threads of few rows store it, because its register makes threads of eight rows 3 % slower.
template <bool varies>
struct SobelLastLane {
  unsigned last = 31;
};
template <>
struct SobelLastLane<false> {
  static constexpr unsigned last = 31;
};

template <int n>
inline constexpr bool sobel_last_lane_varies = n == sobel_few_rows + 2;

/// A thread's pixels of n rows, packed as in memory.
template <SobelSource source, int n>
struct SobelRows : SobelLastLane<sobel_last_lane_varies<n>> {
  unsigned word[n][SobelPixels<source>::words];
  /// One pixel beside the pixels of lanes 0 to `last`. Lane r < 16 holds the pixel before them in
  /// row r, lane 16 + r the pixel behind them.
  unsigned end;
};

__device__ inline bool is_aligned(const void* p, int bytes) {
  return (reinterpret_cast<cuda::std::uintptr_t>(p) & (bytes - 1)) == 0;
}

/// Returns true if all rows of an image are aligned.
__device__ inline bool are_aligned(const void* first, cuda::std::int64_t pitch, int bytes) {
  return is_aligned(first, bytes) && (pitch & (bytes - 1)) == 0;
}

/// Loads the bytes of one pixel at any address.
template <int bytes>
__device__ unsigned load_pixel_bytes(const unsigned char* p) {
  unsigned pixel = 0;
#pragma unroll
  for (int b = 0; b < bytes; ++b) pixel |= static_cast<unsigned>(__ldg(p + b)) << (8 * b);
  return pixel;
}

/// Loads one pixel. The address of a pixel of 2 or 4 bytes must be a multiple of its size.
template <int bytes>
__device__ unsigned load_pixel(const unsigned char* p) {
  if constexpr (bytes == 2)
    return __ldg(reinterpret_cast<const unsigned short*>(p));
  else if constexpr (bytes == 4)
    return __ldg(reinterpret_cast<const unsigned*>(p));
  else
    return load_pixel_bytes<bytes>(p);
}

/// Returns the row to read for row y >= -1; -1 if zeros replace it, as for rows not needed.
__device__ inline cuda::std::int64_t line_of(const SobelArguments& a, cuda::std::int64_t y) {
  return y < 0 ? a.row_above : y < a.height ? y : y == a.height ? a.row_below : -1;
}
__device__ inline cuda::std::int64_t column_of(const SobelArguments& a, cuda::std::int64_t x) {
  return x < 0 ? a.column_before : x < a.width ? x : x == a.width ? a.column_behind : -1;
}

template <int vector_words, int n>
__device__ void load_vectors(const unsigned char* p, unsigned (&word)[n]) {
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
}

/// Inserts a pixel before a row's others, which move up by its bytes.
template <int bytes, int n>
__device__ void push_pixel(unsigned (&word)[n], unsigned pixel) {
#pragma unroll
  for (int i = n - 1; i > 0; --i) {
    word[i] = bytes == 4 ? word[i - 1] : __funnelshift_l(word[i - 1], word[i], 8 * bytes);
  }
  word[0] = bytes == 4 ? pixel : word[0] << (8 * bytes % 32) | pixel;
}

/// Returns the start of the row to read for row y; if zeros replace it, the start of row 0.
__device__ inline const unsigned char* row_start(const SobelArguments& a, cuda::std::int64_t y) {
  const cuda::std::int64_t line = line_of(a, y);
  return a.src + (line < 0 ? 0 : line) * a.src_pitch;
}

/// Returns the column of the lane's SobelRows::end; -1 if that pixel is 0 or the lane has none.
template <SobelSource source, int n>
__device__ cuda::std::int64_t end_column(const SobelArguments& a, cuda::std::int64_t x0,
                                         unsigned last) {
  static_assert(n <= 16, "one lane for each row and end");
  constexpr int pixels = SobelPixels<source>::per_thread;
  const unsigned lane = threadIdx.x;
  const cuda::std::int64_t first = x0 - static_cast<int>(lane) * pixels;
  if (lane % 16 >= n) return -1;
  return column_of(a, lane < 16 ? first - 1 : first + (last + 1) * pixels);
}

/// Loads the thread's pixels from x0 on, in the rows from y on, without a test for each row. The
/// pixels must be aligned vectors inside the image, or right of it.
template <SobelSource source, int n>
__device__ void load_plain_rows(const SobelArguments& a, cuda::std::int64_t x0,
                                cuda::std::int64_t y, SobelRows<source, n>& rows) {
  constexpr int bytes = SobelPixels<source>::bytes;
  const unsigned char* row = a.src + y * a.src_pitch;
  const unsigned char* p = row + x0 * bytes;
  if constexpr (sobel_last_lane_varies<n>) {
    constexpr int pixels = SobelPixels<source>::per_thread;
    const cuda::std::int64_t to_border = a.width - (x0 - static_cast<int>(threadIdx.x) * pixels);
    if (to_border < 32 * pixels) rows.last = static_cast<unsigned>(to_border) / pixels - 1;
    if (x0 >= a.width) p = row;
  }
#pragma unroll
  for (int r = 0; r < n; ++r) {
    load_vectors<SobelPixels<source>::vector_words>(p, rows.word[r]);
    p += a.src_pitch;
  }
  const cuda::std::int64_t column = end_column<source, n>(a, x0, rows.last);
  const unsigned char* end = row + threadIdx.x % 16 * a.src_pitch + column * bytes;
  rows.end = column < 0 ? 0 : load_pixel<bytes>(end);
}

/// Loads rows of any position and alignment. The caller must then clear rows that zeros replace.
template <SobelSource source, int n>
__device__ void load_unaligned_rows(const SobelArguments& a, cuda::std::int64_t x0,
                                    cuda::std::int64_t y, SobelRows<source, n>& rows) {
  constexpr int bytes = SobelPixels<source>::bytes;
  constexpr int words = SobelPixels<source>::words;
  const cuda::std::int64_t from = x0 * bytes;
  const int around = are_aligned(a.src, a.src_pitch, 4) ? 0 : 3;
  if (from >= around && from + 4 * words + around <= a.width * bytes) {
    // Loads the aligned words around the pixels, for all rows before the first shift uses one.
    unsigned behind[n];
    unsigned shift[n];
#pragma unroll
    for (int r = 0; r < n; ++r) {
      const auto address = reinterpret_cast<cuda::std::uintptr_t>(row_start(a, y + r) + from);
      const auto* aligned = reinterpret_cast<const unsigned*>(address & ~cuda::std::uintptr_t{3});
      shift[r] = static_cast<unsigned>(address & 3) * 8;
#pragma unroll
      for (int i = 0; i < words; ++i) rows.word[r][i] = __ldg(aligned + i);
      // When the row is word-aligned this word is unused and may be out of bounds.
      behind[r] = shift[r] == 0 ? 0 : __ldg(aligned + words);
    }
#pragma unroll
    for (int r = 0; r < n; ++r) {
#pragma unroll
      for (int i = 0; i < words; ++i) {
        const unsigned next = i + 1 < words ? rows.word[r][i + 1] : behind[r];
        rows.word[r][i] = __funnelshift_r(rows.word[r][i], next, shift[r]);
      }
    }
    return;
  }
  // At the end of a row pixels are read one by one, the last (the border's) first. Only the loop
  // over rows is unrolled: that takes few registers and keeps all rows' loads in flight together.
  rows = {};
  const cuda::std::int64_t to_border = a.width - x0;
  constexpr int last = SobelPixels<source>::per_thread - 1;
#pragma unroll 1
  for (int i = to_border < last ? static_cast<int>(to_border) : last; i >= 0; --i) {
    const cuda::std::int64_t column = column_of(a, x0 + i);
#pragma unroll
    for (int r = 0; r < n; ++r) {
      const unsigned char* p = row_start(a, y + r) + (column < 0 ? 0 : column * bytes);
      push_pixel<bytes>(rows.word[r], load_pixel_bytes<bytes>(p) & (column < 0 ? 0 : ~0U));
    }
  }
}

/// Loads the thread's pixels from x0 on, in the rows from y on. `vectors` is true if all pixels
/// of the warp that are inside a row are whole aligned vectors.
template <SobelSource source, int n>
__device__ SobelRows<source, n> load_rows(const SobelArguments& a, cuda::std::int64_t x0,
                                          cuda::std::int64_t y, bool vectors) {
  SobelRows<source, n> rows;
  if (vectors && y >= 0 && y + n <= a.height) {
    load_plain_rows(a, x0, y, rows);
    return rows;
  }
  load_unaligned_rows(a, x0, y, rows);
#pragma unroll
  for (int r = 0; r < n; ++r) {
    if (line_of(a, y + r) >= 0) continue;
#pragma unroll
    for (unsigned& word : rows.word[r]) word = 0;
  }
  constexpr int bytes = SobelPixels<source>::bytes;
  const cuda::std::int64_t column = end_column<source, n>(a, x0, rows.last);
  const cuda::std::int64_t line = line_of(a, y + threadIdx.x % 16);
  const unsigned char* end = a.src + line * a.src_pitch + column * bytes;
  rows.end = column < 0 || line < 0 ? 0 : load_pixel_bytes<bytes>(end);
  return rows;
}

/// Writes the first `count` results of n words to p, of any alignment.
template <class Out, int n>
__device__ void store_elements(unsigned char* p, const unsigned (&word)[n],
                               cuda::std::int64_t count) {
  constexpr int bytes = sizeof(Out);
  const bool whole = is_aligned(p, bytes);
#pragma unroll
  for (int i = 0; i < 4 * n / bytes; ++i) {
    if (i >= count) break;
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

/// Writes n words to p in vectors of at most 4 words; p is aligned to them.
template <int n>
__device__ void store_vectors(unsigned char* p, const unsigned (&word)[n]) {
  if constexpr (n == 1) *reinterpret_cast<unsigned*>(p) = word[0];
  if constexpr (n == 2) *reinterpret_cast<uint2*>(p) = {word[0], word[1]};
#pragma unroll
  for (int i = 0; i + 4 <= n; i += 4) {
    *reinterpret_cast<uint4*>(p + 4 * i) = {word[i], word[i + 1], word[i + 2], word[i + 3]};
  }
}

}  // namespace warpwise::kernels::sobel
