#pragma once

#include "warpwise/base/host_device.hpp"

// Arguments of a chain's fused kernel. Compiled by g++, nvcc and NVRTC: includes only our own
// headers.
namespace warpwise::kernels::chain {

/// One image of a launch, and the division of its work: a warp goes down a strip of columns, from
/// the first row of a segment to its last.
struct ChainImage {
  const unsigned char* src;  ///< 3 bytes a pixel; rows start at multiples of 8 bytes
  unsigned char* dst;        ///< 1 byte a pixel; rows start at multiples of 8 bytes
  int src_pitch;
  int dst_pitch;
  int width;  ///< a multiple of chain_pixels
  int height;
  int first_block;  ///< index of this image's first block in the grid
  int strips;
  int segment_rows;
};

/// Parameters of the computation, the same for all images.
struct ChainRule {
  /// Twice the weights of the colours in memory order, packed as in SobelArguments.
  unsigned grey_first;
  unsigned grey_third;
  // The gradient's border: the source of the row or column just outside the image. If neither flag
  // is set, the edge row or column is repeated.
  bool mirrored;  ///< the second row or column inside, if there is one
  bool zero;      ///< zeros
  // The threshold's rule: the result is `above` if pixel * area + bias - sum >= 0.
  int half;
  int area;
  int bias;
  unsigned above;
  unsigned below;
};

/// Largest number of images in one launch: with ChainRule they fit the 4 KiB of kernel arguments
/// that every GPU has.
inline constexpr int chain_images_per_launch = 64;

template <int most>
struct ChainArguments {
  ChainRule rule;
  int images;
  ChainImage image[most];
};

/// Adjacent pixels per thread: 24 bytes of colour, 8 bytes of result.
inline constexpr int chain_pixels = 8;
/// Columns that a warp computes: its strip and the halo on both sides. With more columns, the sum
/// of half of them, with numbers up to 2 * 255, would not fit 16 bits.
inline constexpr int chain_columns = 32 * chain_pixels;

/// Returns the halo: the columns on either side of a strip that its windows reach, rounded up to
/// whole threads.
WARPWISE_HOST_DEVICE constexpr int chain_halo(int half) {
  return (half + chain_pixels) / chain_pixels * chain_pixels;
}

/// Returns the bytes of shared memory per warp: the window's rows, and the running sums of two
/// rows.
WARPWISE_HOST_DEVICE constexpr int chain_shared_bytes(int half) {
  return (2 * half + 1) * chain_columns + 4 * chain_columns;
}

}  // namespace warpwise::kernels::chain
