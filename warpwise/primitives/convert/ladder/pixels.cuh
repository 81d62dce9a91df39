#pragma once

#include "problem.hpp"

// Functions that the rungs share. 06_registers.cu uses only the loads.
namespace warpwise::ladders {

__device__ inline int weighted(const int (&coefficient)[3], int offset, int r, int g, int b) {
  const int sum = coefficient[0] * r + coefficient[1] * g + coefficient[2] * b + offset;
  return min(max(sum >> convert_fraction_bits, 0), 255);
}

/// Returns Y, Cb, Cr and 255 as one word, Y lowest.
__device__ inline unsigned ycbcr(const ConvertProblem& p, int r, int g, int b) {
  const int y = weighted(p.coefficient[0], p.offset[0], r, g, b);
  const int cb = weighted(p.coefficient[1], p.offset[1], r, g, b);
  const int cr = weighted(p.coefficient[2], p.offset[2], r, g, b);
  return static_cast<unsigned>(y | cb << 8 | cr << 16) | 0xff000000U;
}

/// Converts the pixel at `rgb`, in any memory, to pixel x of row y, if that exists.
__device__ inline void convert_pixel(const ConvertProblem& p, int x, int y,
                                     const unsigned char* rgb) {
  if (x >= p.width || y >= p.height) return;
  auto* const row = reinterpret_cast<unsigned*>(p.dst + y * p.dst_pitch);
  row[x] = ycbcr(p, rgb[0], rgb[1], rgb[2]);
}

/// Loads bytes at … at + 3 of row y of src as one word, the first lowest; zeros beyond the row.
__device__ inline unsigned load_bytes(const ConvertProblem& p, long long at, int y) {
  const unsigned char* const row = p.src + y * p.src_pitch;
  unsigned word = 0;
#pragma unroll 1  // rare: unrolling is not worth its registers
  for (int i = 0; i < 4; ++i) {
    if (at + i < 3LL * p.width) word |= static_cast<unsigned>(row[at + i]) << (8 * i);
  }
  return word;
}

/// Loads words of row y of src, `stride` bytes apart, the first at byte `at`. If all are aligned
/// and inside, each is one access, else all are loaded byte by byte. A single decision for all
/// words keeps their loads in flight together.
template <int count>
__device__ inline void load_words(const ConvertProblem& p, long long at, int stride, int y,
                                  unsigned (&word)[count]) {
  const unsigned char* const from = p.src + y * p.src_pitch + at;
  const bool aligned = (reinterpret_cast<unsigned long long>(from) & 3) == 0;
  if (aligned && at + (count - 1) * stride + 4 <= 3LL * p.width) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      word[i] = *reinterpret_cast<const unsigned*>(from + i * stride);
    }
  } else {
    for (int i = 0; i < count; ++i) word[i] = load_bytes(p, at + i * stride, y);
  }
}

/// Loads one word as load_words() does.
__device__ inline unsigned load_word(const ConvertProblem& p, long long at, int y) {
  unsigned word[1];
  load_words(p, at, 0, y, word);
  return word[0];
}

}  // namespace warpwise::ladders
