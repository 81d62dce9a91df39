#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "warpwise/algorithms/chain/arguments.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/launch.hpp"

// Division of the fused kernel's work into strips and segments.
namespace warpwise::detail::chain {

/// Returns the number of columns of results in a strip, without its halo.
constexpr std::int64_t strip_columns(int half) {
  return kernels::chain::chain_columns - 2 * kernels::chain::chain_halo(half);
}

/// Number of warp schedulers of a large GPU: four on each of 132 multiprocessors. Each issues one
/// instruction at a time.
constexpr std::int64_t schedulers = 4 * 132;

inline std::int64_t segments_of(std::int64_t height, std::int64_t rows) {
  return std::max<std::int64_t>(1, height / rows);
}

/// Returns the number of rows, summed over all strips of all images.
inline std::int64_t rows_of_strips(std::span<const DeviceView> images, int half) {
  std::int64_t rows = 0;
  for (const DeviceView& image : images) {
    rows += gpu::blocks_for(image.width(), strip_columns(half)) * image.height();
  }
  return rows;
}

/// Chooses the number of rows in a segment, by the estimated cost for each scheduler:
/// - A warp computes its segment's rows and a window's rows above them. Fewer and longer segments
///   therefore issue fewer instructions in all.
/// - The number of segments should be a multiple of the number of schedulers.
/// - At least three warps a scheduler hide most of each other's latency.
/// - With twice as many warps as fit at a time, the second half starts as others end, which
///   balances the load. This is worth 5 %, so fewer warps are chosen only if they save more.
inline std::int64_t rows_of_segments(std::span<const DeviceView> images, int half) {
  constexpr std::int64_t fewest_rows = 4, fewest_warps = 3, most_warps = 10;
  const std::int64_t window = 2 * half + 1;
  const std::int64_t all_rows = rows_of_strips(images, half);
  std::int64_t best = 0, least = 0;
  for (std::int64_t warps = most_warps; warps >= fewest_warps; --warps) {
    const std::int64_t rows = std::max(fewest_rows, gpu::blocks_for(all_rows, warps * schedulers));
    std::int64_t segments = 0, highest = 0;
    for (const DeviceView& image : images) {
      const std::int64_t own = segments_of(image.height(), rows);
      segments += own * gpu::blocks_for(image.width(), strip_columns(half));
      highest = std::max(highest, gpu::blocks_for(image.height(), own));
    }
    const std::int64_t cost =
        std::max(fewest_warps, gpu::blocks_for(segments, schedulers)) * (highest + window);
    if (best == 0 || 20 * cost < 19 * least) {
      best = rows;
      least = cost;
    }
  }
  return best;
}

/// Returns an image's part of a launch. \throws InvalidArgument  its blocks do not fit a GPU grid
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
          // All segments of an image but the last have the same number of rows.
          .segment_rows = static_cast<int>(
              gpu::blocks_for(src.height(), segments_of(src.height(), segment_rows)))};
}

inline std::int64_t blocks_of(const kernels::chain::ChainImage& image) {
  return image.strips * gpu::blocks_for(image.height, image.segment_rows);
}

}  // namespace warpwise::detail::chain
