#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "warpwise/algorithms/chain/arguments.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/launch.hpp"

// How the work of the fused kernel is divided.
namespace warpwise::detail::chain {

/// Columns of a strip that are its own.
constexpr std::int64_t strip_columns(int half) {
  return kernels::chain::chain_columns - 2 * kernels::chain::chain_halo(half);
}

/// Rows of a segment: such that all images together make as many warps as a large GPU holds at
/// once, by the registers or by the shared memory of 132 multiprocessors, or twice as many, which
/// are shared out more evenly, where a segment is still much higher than the window: that costs
/// it the window's rows more.
inline std::int64_t rows_of_segments(std::span<const DeviceView> images, int half) {
  constexpr std::int64_t multiprocessors = 132;
  constexpr std::int64_t shared_bytes = 227 * 1024;  // a block takes 1 KiB of its own
  constexpr std::int64_t most_warps = 20;            // of 96 registers a thread
  constexpr std::int64_t fewest_rows = 16;
  const std::int64_t warps =
      std::min(most_warps, shared_bytes / (kernels::chain::chain_shared_bytes(half) + 1024));
  std::int64_t rows = 0;  // of all strips
  for (const DeviceView& image : images) {
    rows += gpu::blocks_for(image.width(), strip_columns(half)) * image.height();
  }
  const std::int64_t once = gpu::blocks_for(rows, warps * multiprocessors);
  const std::int64_t much = 8 * (2 * half + 1);
  return std::max(fewest_rows, once >= 2 * much ? gpu::blocks_for(once, 2) : once);
}

/// An image's part of a launch. \throws InvalidArgument  more blocks than a GPU grid takes
inline kernels::chain::ChainImage chain_image(ConstDeviceView src, DeviceView dst, int half,
                                              std::int64_t segment_rows, std::int64_t first_block) {
  return {.src = reinterpret_cast<const unsigned char*>(src.data()),
          .dst = reinterpret_cast<unsigned char*>(dst.data()),
          .src_pitch = static_cast<int>(src.pitch_bytes()),
          .dst_pitch = static_cast<int>(dst.pitch_bytes()),
          .width = static_cast<int>(src.width()),
          .height = static_cast<int>(src.height()),
          .first_block = static_cast<int>(gpu::grid_x(first_block)),
          .strips = static_cast<int>(gpu::blocks_for(src.width(), strip_columns(half))),
          // Segments of one image have equal rows but for the last.
          .segment_rows = static_cast<int>(
              gpu::blocks_for(src.height(), gpu::blocks_for(src.height(), segment_rows)))};
}

inline std::int64_t blocks_of(const kernels::chain::ChainImage& image) {
  return image.strips * gpu::blocks_for(image.height, image.segment_rows);
}

}  // namespace warpwise::detail::chain
