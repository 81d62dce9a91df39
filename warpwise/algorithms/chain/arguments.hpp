#pragma once

#include "warpwise/base/host_device.hpp"

// What the fused kernel of a chain takes. For g++, nvcc and NVRTC: no includes but our own.
namespace warpwise::kernels::chain {

/// One image of a launch, and how its work is divided: a warp goes down a strip of columns, from
/// the first row of a segment to its last.
struct ChainImage {
  const unsigned char* src;  ///< 3 bytes a pixel, rows at multiples of 8
  unsigned char* dst;        ///< 1 byte a pixel, rows at multiples of 8
  int src_pitch;
  int dst_pitch;
  int width;  ///< a multiple of chain_pixels
  int height;
  int first_block;  ///< of the launch's, the one that begins this image
  int strips;
  int segment_rows;
};

/// What is computed, the same for all images.
struct ChainRule {
  /// As in sobel's arguments: twice the weights of the colours in the order of memory.
  unsigned grey_first;
  unsigned grey_third;
  // The border of the gradient: which row or column stands for the one just outside.
  bool mirrored;  ///< the second one inside, if there is one
  bool zero;      ///< none: zeros
  // The rule of the threshold: above where pixel * area + bias - sum >= 0.
  int half;
  int area;
  int bias;
  unsigned above;
  unsigned below;
};

/// Images of one launch: with ChainRule, what 4 KiB of arguments hold on every GPU.
inline constexpr int chain_images_per_launch = 64;

template <int most>
struct ChainArguments {
  ChainRule rule;
  int images;
  ChainImage image[most];
};

/// Pixels side by side that a thread takes: 24 bytes of colour, 8 of result.
inline constexpr int chain_pixels = 8;
/// Columns of a warp's strip, those beside it included. More, and the sum over half of them of
/// twice a byte would outgrow 16 bits.
inline constexpr int chain_columns = 32 * chain_pixels;

/// Columns beside a strip's own, on either side, that its windows reach.
WARPWISE_HOST_DEVICE constexpr int chain_halo(int half) {
  return (half + chain_pixels) / chain_pixels * chain_pixels;
}

/// Shared memory of a warp: the bytes of the window's rows, and the running sums of two rows.
WARPWISE_HOST_DEVICE constexpr int chain_shared_bytes(int half) {
  return (2 * half + 1) * chain_columns + 4 * chain_columns;
}

}  // namespace warpwise::kernels::chain
