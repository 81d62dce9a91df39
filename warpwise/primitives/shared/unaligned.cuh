#pragma once

#include <cuda/std/cstdint>

// Memory accesses at any alignment, for kernels. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels {

/// Stores 4 bytes at any address.
__device__ inline void store_word(unsigned char* at, unsigned word) {
  if ((reinterpret_cast<cuda::std::uintptr_t>(at) & 3) == 0) {
    *reinterpret_cast<unsigned*>(at) = word;
    return;
  }
  for (int i = 0; i < 4; ++i) at[i] = static_cast<unsigned char>(word >> (8 * i));
}

__device__ inline void store_float(unsigned char* at, float value) {
  store_word(at, __float_as_uint(value));
}

/// Returns bytes x … x + 3 of a row of `width` bytes as one word, in which byte x is the lowest.
/// Bytes beyond the row are 0. x must not be negative.
__device__ inline unsigned load_word(const unsigned char* row, cuda::std::int64_t x,
                                     cuda::std::int64_t width) {
  const unsigned char* at = row + x;
  const auto address = reinterpret_cast<cuda::std::uintptr_t>(at);
  if (x + 4 <= width && (address & 3) == 0) return *reinterpret_cast<const unsigned*>(at);
  // The two aligned words around the four bytes reach up to 3 bytes beyond them on either side.
  if (x >= 3 && x + 7 <= width) {
    const auto* words = reinterpret_cast<const unsigned*>(address & ~cuda::std::uintptr_t{3});
    return __funnelshift_r(words[0], words[1], static_cast<unsigned>(address & 3) * 8);
  }
  unsigned word = 0;
  for (int i = 0; i < 4; ++i) {
    if (x + i < width) word |= static_cast<unsigned>(at[i]) << (8 * i);
  }
  return word;
}

}  // namespace warpwise::kernels
