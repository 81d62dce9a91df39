#pragma once

#include "warpwise/base/host_device.hpp"

// Arguments of a chain's fused kernel. Compiled by g++, nvcc and NVRTC: includes only our own
// headers.
namespace warpwise::kernels::chain {

/// One image of a launch, and the division of its work: the columns into strips, the rows into
/// segments. A warp goes down one strip, from the first row of one segment to its last.
struct ChainImage {
  const unsigned char* src;  ///< 3 bytes a pixel; rows start at multiples of 8 bytes
  unsigned char* dst;        ///< 1 byte a pixel; rows start at multiples of 8 bytes
  int src_pitch;
  int dst_pitch;
  int width;  ///< a multiple of chain_pixels
  int height;
  int first_block;  ///< index in the grid of this image's first thread block
  int strips;
  int segment_rows;
};

/// Parameters of the computation, the same for all images.
struct ChainRule {
  /// Weights of the three colours in the grey value, in memory order, times 2^16. `grey_first`
  /// holds the first and second in its lower and upper half, `grey_third` the third.
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

/// Largest number of images in one launch. Together with ChainRule, these images fit the 4 KiB of
/// kernel arguments that every GPU has.
inline constexpr int chain_images_per_launch = 64;

template <int most>
struct ChainArguments {
  ChainRule rule;
  int images;
  ChainImage image[most];
};

/// Adjacent pixels per thread: 24 bytes of colour, 8 bytes of result.
inline constexpr int chain_pixels = 8;
/// Columns that a warp computes: its strip and the halo on both sides. The kernel sums a row's
/// numbers over each half of these columns. A number is at most 2 * 255, so that the sum of 128
/// fits 16 bits. The sum of a wider half would not.
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
