#pragma once

#include <cstdint>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/sobel/arguments.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"

namespace warpwise::detail {

/// What sobel_kernel reads and writes: addresses, pitches in bytes, and the size.
struct SobelImages {
  const unsigned char* src;
  unsigned char* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t width;
  std::int64_t height;
};

struct SobelLaunch {
  kernels::SobelArguments arguments;
  unsigned grid_x;
  unsigned grid_y;
};

/// One byte for each channel in the order of memory, the first in the lowest.
constexpr unsigned channel_weights(unsigned red, unsigned green, unsigned blue,
                                   ChannelOrder order) {
  return order == ChannelOrder::rgb ? red | green << 8 | blue << 16
                                    : blue | green << 8 | red << 16;
}

/// How sobel_kernel is launched, with blocks of sobel_block_width times sobel_block_height.
/// \throws InvalidArgument  a row wider than a GPU grid
inline SobelLaunch sobel_launch(const SobelImages& images, const SobelOptions& options,
                                int pixels_per_thread) {
  const bool scharr = options.kernel == SobelKernel::scharr;
  const kernels::SobelArguments arguments{
      .src = images.src,
      .dst = images.dst,
      .src_pitch = images.src_pitch,
      .dst_pitch = images.dst_pitch,
      .width = images.width,
      .height = images.height,
      .centre = scharr ? 10 : 2,
      .side = scharr ? 3 : 1,
      // 9798, 19235 and 3735 as 128 · high + low
      .grey_high = channel_weights(9798 >> 7, 19235 >> 7, 3735 >> 7, options.channels),
      .grey_low = channel_weights(9798 & 127, 19235 & 127, 3735 & 127, options.channels),
      .border = options.border,
      .dy = options.output == SobelOutput::dy};
  const std::int64_t threads = gpu::blocks_for(images.width, pixels_per_thread);
  return {arguments, gpu::grid_x(gpu::blocks_for(threads, kernels::sobel_block_width)),
          gpu::grid_y(gpu::blocks_for(images.height, kernels::sobel_block_rows))};
}

}  // namespace warpwise::detail
