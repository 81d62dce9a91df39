#pragma once

#include <cstdint>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/shared/pixel.hpp"
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

/// What sobel_kernel's threads and blocks compute.
struct SobelShare {
  int pixels_of_thread;
  int rows_of_block;
};
template <kernels::SobelSource source, class Number>
inline constexpr SobelShare sobel_share = {kernels::SobelThread<source, Number>::pixels,
                                           kernels::SobelThread<source, Number>::rows_of_block};

struct SobelLaunch {
  kernels::SobelArguments arguments;
  unsigned grid_x;
  unsigned grid_y;
};

/// How sobel_kernel is launched, with blocks of sobel_block_width times sobel_block_height.
/// \throws InvalidArgument  a row wider than a GPU grid
inline SobelLaunch sobel_launch(const SobelImages& images, const SobelOptions& options,
                                const SobelShare& share) {
  const bool scharr = options.kernel == SobelKernel::scharr;
  constexpr unsigned red = 2 * 9798, green = 2 * 19235, blue = 2 * 3735;
  const bool red_first = options.channels == ChannelOrder::rgb;
  const kernels::SobelArguments arguments{
      .src = images.src,
      .dst = images.dst,
      .src_pitch = images.src_pitch,
      .dst_pitch = images.dst_pitch,
      .width = images.width,
      .height = images.height,
      .centre = scharr ? 10 : 2,
      .side = scharr ? 3 : 1,
      .grey_first = (red_first ? red : blue) | green << 16,
      .grey_third = red_first ? blue : red,
      .row_above = border_index(-1, images.height, options.border),
      .row_below = border_index(images.height, images.height, options.border),
      .column_before = border_index(-1, images.width, options.border),
      .column_behind = border_index(images.width, images.width, options.border),
      .dy = options.output == SobelOutput::dy};
  const std::int64_t threads = gpu::blocks_for(images.width, share.pixels_of_thread);
  return {arguments, gpu::grid_x(gpu::blocks_for(threads, kernels::sobel_block_width)),
          gpu::grid_y(gpu::blocks_for(images.height, share.rows_of_block))};
}

}  // namespace warpwise::detail
