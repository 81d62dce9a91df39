#pragma once

#include "problem.hpp"

// Loads and stores of the rungs from 10_four_pixels.cu on: four adjacent pixels of a row at a time.
namespace warpwise::ladders {

/// Pixels x to x + 3 of a row; one outside the row is replaced by the nearest border pixel.
struct FourPixels {
  unsigned at[4];
};

__device__ inline bool is_aligned(const void* address, unsigned long long bytes) {
  return (reinterpret_cast<unsigned long long>(address) & (bytes - 1)) == 0;
}

__device__ inline const unsigned* row_or_border(const SobelProblem& p, int y) {
  return p.src + min(max(y, 0), p.height - 1) * p.src_pitch;
}

__device__ inline unsigned pixel_or_border(const SobelProblem& p, const unsigned* row, int x) {
  return row[min(max(x, 0), p.width - 1)];
}

__device__ inline FourPixels load_four(const SobelProblem& p, const unsigned* row, int x) {
  if (x + 4 <= p.width && is_aligned(row + x, 16)) {
    const uint4 vector = *reinterpret_cast<const uint4*>(row + x);
    return {{vector.x, vector.y, vector.z, vector.w}};
  }
  FourPixels pixels;
#pragma unroll
  for (int i = 0; i < 4; ++i) pixels.at[i] = pixel_or_border(p, row, x + i);
  return pixels;
}

/// Writes the bytes of `results` that lie in the image, the lowest byte to column x.
__device__ inline void store_four(const SobelProblem& p, int x, int y, unsigned results) {
  unsigned char* at = p.dst + y * p.dst_pitch + x;
  if (x + 4 <= p.width && is_aligned(at, 4)) {
    *reinterpret_cast<unsigned*>(at) = results;
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (x + i < p.width) at[i] = static_cast<unsigned char>(results >> (8 * i));
  }
}

}  // namespace warpwise::ladders
