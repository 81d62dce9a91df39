#pragma once

#include "problem.hpp"

// Shared by the kernels of document A (docs/sources.md): the conversion to grey at each tap, the
// two filters, their sums. The constants below switch the optimisations of row A8 on or off.
namespace warpwise::ladders {

constexpr bool filter_in_constant = FILTER_IN_CONSTANT;
constexpr bool by_reciprocal = FEWER_CONDITIONS;
constexpr int unroll = UNROLLED ? 3 : 1;

__constant__ int constant_filter[18] = {-1, 0,  1,  -2, 0, 2, -1, 0, 1,   // dx
                                        -1, -2, -1, 0,  0, 0, 1,  2, 1};  // dy

/// Returns the thread block's width: a compile-time constant, or a register that has to be read.
__device__ inline int block_width() {
  if constexpr (CONSTANT_BLOCK)
    return BLOCK_X;
  else
    return static_cast<int>(blockDim.x);
}
__device__ inline int block_height() {
  if constexpr (CONSTANT_BLOCK)
    return BLOCK_Y;
  else
    return static_cast<int>(blockDim.y);
}

/// Returns true if all neighbours of the thread block's pixels lie in the image. The whole thread
/// block gets the same result, so that no warp diverges.
__device__ inline bool block_is_inside(const SobelProblem& p) {
  const int right = (static_cast<int>(blockIdx.x) + 1) * block_width();
  const int below = (static_cast<int>(blockIdx.y) + 1) * block_height();
  return blockIdx.x > 0 && right < p.width && blockIdx.y > 0 && below < p.height;
}

__device__ inline int weight(const SobelProblem& p, int tap) {
  if constexpr (filter_in_constant)
    return constant_filter[tap];
  else
    return p.filter[tap];
}

/// Computes OpenCV's grey in floats, the fastest way on a GPU of 2008. All numbers are integers
/// below 2^24 and the divisor is a power of two: nothing is rounded before the last step. The
/// divisor is a variable, because compilers turn a constant one into its reciprocal.
__device__ inline int grey(const SobelProblem& p, float red, float green, float blue) {
  const float sum = 9798.0F * red + 19235.0F * green + 3735.0F * blue + 16384.0F;
  if constexpr (by_reciprocal)
    return static_cast<int>(sum * (1.0F / 32768.0F));
  else
    return static_cast<int>(sum / p.grey_scale);
}

__device__ inline int grey(const SobelProblem& p, unsigned pixel) {
  return grey(p, static_cast<float>(pixel & 0xff), static_cast<float>(pixel >> 8 & 0xff),
              static_cast<float>(pixel >> 16 & 0xff));
}

/// Returns the index inside [0, size) nearest to `index`.
__device__ inline int clamped(int index, int size) {
  if (index < 0) return 0;
  if (index >= size) return size - 1;
  return index;
}

/// Returns the pixel at (x, y), or the nearest border pixel if that is outside.
__device__ inline unsigned pixel_or_border(const SobelProblem& p, int x, int y) {
  return p.src[clamped(y, p.height) * p.src_pitch + clamped(x, p.width)];
}

/// Applies both filters to the 3 x 3 greys grey_at(column, row), with columns and rows from 0 to 2.
template <class GreyAt>
__device__ unsigned char magnitude(const SobelProblem& p, GreyAt grey_at) {
  int dx = 0;
  int dy = 0;
#pragma unroll unroll
  for (int row = 0; row < 3; ++row) {
#pragma unroll unroll
    for (int column = 0; column < 3; ++column) {
      const int value = grey_at(column, row);
      dx += value * weight(p, 3 * row + column);
      dy += value * weight(p, 9 + 3 * row + column);
    }
  }
  const int sum = abs(dx) + abs(dy);
  return static_cast<unsigned char>(sum < 255 ? sum : 255);
}

/// Computes the result of the pixel whose 3 x 3 neighbours begin at (column, row) of a tile.
__device__ inline unsigned char edge_in_tile(const SobelProblem& p, const unsigned* tile, int pitch,
                                             int column, int row) {
  return magnitude(p, [&](int i, int j) { return grey(p, tile[(row + j) * pitch + column + i]); });
}

}  // namespace warpwise::ladders
