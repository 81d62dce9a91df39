#pragma once

#include <cstdint>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/threshold/arguments.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

namespace warpwise::detail {

/// How mean and exact_mean are launched: threshold_segments and threshold_scan_segments for windows
/// higher than a segment, threshold_columns, threshold_rows; all with threshold_block_threads.
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
