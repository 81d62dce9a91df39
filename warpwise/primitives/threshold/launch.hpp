#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/threshold/arguments.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

namespace warpwise::detail {

/// threshold_tiles is launched once, with threshold_tile_threads.
struct ThresholdTileLaunch {
  kernels::TileArguments arguments;
  unsigned grid_x = 1;
  unsigned grid_y = 1;
};

/// Nothing where ThresholdLaunch has to do it: for windows above 255 of u8 or 127 of u16, whose
/// areas or sums outgrow the kernel's and whose halo takes more than half of a block's columns, and
/// for images of more than 2^30 pixels a side.
inline std::optional<ThresholdTileLaunch> threshold_tile_launch(const kernels::ThresholdSource& src,
                                                                const kernels::ThresholdOutput& out,
                                                                const WindowRule& rule,
                                                                std::int64_t pixel_bytes) {
  constexpr std::int64_t longest_side = std::int64_t{1} << 30;
  constexpr std::int64_t threads = kernels::threshold_tile_threads;
  constexpr std::int64_t warps = threads / 32;
  const std::int64_t per_word = 4 / pixel_bytes;
  const std::int64_t halo = rule.half / per_word + 1;
  if (4 * halo > threads || std::max(src.width, src.height) > longest_side) return {};

  // As many blocks as a large GPU holds at once, 4 on each of 128 SMs, if the image is so large:
  // first by fewer rows, at most as many as pay for the start, then by strips narrower than a block
  // could take, down to a word a lane.
  constexpr std::int64_t wanted = 512;
  constexpr std::int64_t tile_rows = kernels::threshold_tile_rows;
  const std::int64_t words = gpu::blocks_for(src.width, per_word);
  const std::int64_t widest = (threads - 2 * halo) / warps * warps;
  const std::int64_t most_rows = std::max<std::int64_t>(2 * tile_rows, 2 * rule.half);
  const std::int64_t fewest_strips = gpu::blocks_for(words, widest);
  const std::int64_t tiles =
      std::clamp<std::int64_t>(gpu::blocks_for(src.height * fewest_strips, wanted * tile_rows), 1,
                               gpu::blocks_for(most_rows, tile_rows));
  const std::int64_t segments = gpu::blocks_for(src.height, tiles * tile_rows);
  const std::int64_t strips =
      std::clamp(wanted / 2 / segments, fewest_strips, std::max(fewest_strips, words / 32));
  const std::int64_t strip = gpu::blocks_for(gpu::blocks_for(words, strips), warps) * warps;

  ThresholdTileLaunch launch;
  launch.arguments = {src,
                      out,
                      static_cast<int>(rule.half),
                      static_cast<int>(rule.area),
                      static_cast<int>(rule.bias),
                      static_cast<int>(strip),
                      static_cast<int>(halo),
                      static_cast<int>(tiles * tile_rows)};
  launch.grid_x = gpu::grid_x(gpu::blocks_for(words, strip));
  launch.grid_y = gpu::grid_y(segments);
  return launch;
}

/// How the other mean and exact_mean are launched: threshold_segments and threshold_scan_segments
/// for windows higher than a segment, threshold_columns, threshold_rows; all with
/// threshold_block_threads.
struct ThresholdLaunch {
  kernels::ColumnArguments down;
  kernels::RowArguments along;
  std::int64_t column_bytes = 0;   ///< scratch of the column sums
  std::int64_t segment_bytes = 0;  ///< scratch of the segments' sums; 0: they are not needed
  unsigned grid_x = 1;             ///< of all kernels but threshold_rows
  unsigned grid_y = 1;             ///< of threshold_segments and threshold_columns
  unsigned row_blocks = 1;         ///< of threshold_rows

  /// Tells the kernels where their scratch is; both are multiples of 16.
  void use_scratch(void* columns, void* segments) {
    down.columns = columns;
    down.segments = segments;
    along.columns = columns;
  }
};

/// \param sum_bytes  4, or 8 for a wide rule
/// \throws InvalidArgument  a row wider than a GPU grid, a size beyond 64 bits
inline ThresholdLaunch threshold_launch(const kernels::ThresholdSource& src,
                                        const kernels::ThresholdOutput& out, const WindowRule& rule,
                                        std::int64_t sum_bytes) {
  // Rows of sums are padded to whole vectors of the scan.
  constexpr std::int64_t group = kernels::threshold_scan_columns;
  const std::int64_t pitch = gpu::blocks_for(src.width, group) * group;
  const std::int64_t row_bytes = checked_mul(pitch, sum_bytes);
  const std::int64_t segments = gpu::blocks_for(src.height, kernels::threshold_segment_rows);
  ThresholdLaunch launch;
  launch.down = {src, nullptr, pitch, nullptr, rule.half};
  launch.along = {src, out, nullptr, pitch, rule.half, rule.area, rule.bias};
  launch.column_bytes = checked_mul(row_bytes, src.height);
  // A window lower than a segment is added up directly.
  if (2 * rule.half + 1 > kernels::threshold_segment_rows) {
    launch.segment_bytes = checked_mul(row_bytes, segments);
  }
  launch.grid_x = gpu::grid_x(gpu::blocks_for(pitch, kernels::threshold_block_threads));
  launch.grid_y = gpu::grid_y(segments);
  launch.row_blocks = gpu::grid_y(src.height);
  return launch;
}

}  // namespace warpwise::detail
