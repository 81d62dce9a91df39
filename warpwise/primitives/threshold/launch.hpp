#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/threshold/arguments.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

namespace warpwise::detail::threshold {

enum class ThresholdStep : std::uint8_t { tiles, segments, scan_segments, columns, rows };

/// A kernel of mean and exact_mean with its template arguments.
struct ThresholdKernel {
  ThresholdStep step;
  int pixel_bytes;
  int sum_bytes;     ///< of all but tiles: 4, or 8 for a wide rule
  bool writes_mean;  ///< of tiles
};
constexpr const char* kernel_name(const ThresholdKernel& kernel) {
  switch (kernel.step) {
    case ThresholdStep::tiles: return "threshold_tiles";
    case ThresholdStep::segments: return "threshold_segments";
    case ThresholdStep::scan_segments: return "threshold_scan_segments";
    case ThresholdStep::columns: return "threshold_columns";
    case ThresholdStep::rows: return "threshold_rows";
  }
  return "";
}

/// One launch of threshold_tiles or, by sums of whole columns, of threshold_columns and
/// threshold_rows; for windows higher than a segment, of threshold_segments and
/// threshold_scan_segments before these.
using ThresholdLaunches = gpu::Launches<ThresholdKernel, 4>;

/// By tiles; nothing where sums of columns have to do it: for windows above 255 of u8 or 127 of
/// u16, whose areas or sums outgrow the kernel's and whose halo takes more than half of a block's
/// columns, and for images of more than 2^30 pixels a side.
inline std::optional<gpu::Launch<ThresholdKernel>> threshold_tile_launch(
    const kernels::threshold::ThresholdSource& src, const kernels::threshold::ThresholdOutput& out,
    const WindowRule& rule, std::int64_t pixel_bytes) {
  constexpr std::int64_t longest_side = std::int64_t{1} << 30;
  constexpr std::int64_t threads = kernels::threshold::threshold_tile_threads;
  constexpr std::int64_t warps = threads / 32;
  const std::int64_t per_word = 4 / pixel_bytes;
  const std::int64_t halo = rule.half / per_word + 1;
  if (4 * halo > threads || std::max(src.width, src.height) > longest_side) return {};

  // As many blocks as a large GPU holds at once, 4 on each of 128 SMs, if the image is so large:
  // first by fewer rows, at most as many as pay for the start, then by strips narrower than a block
  // could take, down to a word a lane.
  constexpr std::int64_t wanted = 512;
  constexpr std::int64_t tile_rows = kernels::threshold::threshold_tile_rows;
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

  const kernels::threshold::TileArguments arguments{src,
                                                    out,
                                                    static_cast<int>(rule.half),
                                                    static_cast<int>(rule.area),
                                                    static_cast<int>(rule.bias),
                                                    static_cast<int>(strip),
                                                    static_cast<int>(halo),
                                                    static_cast<int>(tiles * tile_rows)};
  return gpu::Launch<ThresholdKernel>{
      .kernel = {ThresholdStep::tiles, static_cast<int>(pixel_bytes), 0, out.mean != nullptr},
      .grid = {gpu::grid_x(gpu::blocks_for(words, strip)), gpu::grid_y(segments)},
      .block = {kernels::threshold::threshold_tile_threads},
      .parameters = gpu::Parameters::of(arguments)};
}

/// The scratch memory of sums of columns. It starts at a multiple of 16, and so does each part.
struct ThresholdScratch {
  std::int64_t pitch = 0;          ///< from row to row of sums, in elements
  std::int64_t column_bytes = 0;   ///< of the column sums
  std::int64_t segment_bytes = 0;  ///< of the segments' sums, behind them; 0: they are not needed
};

inline ThresholdScratch threshold_scratch(const kernels::threshold::ThresholdSource& src,
                                          const WindowRule& rule) {
  // Rows of sums are padded to whole vectors of the scan.
  constexpr std::int64_t group = kernels::threshold::threshold_scan_columns;
  ThresholdScratch scratch;
  scratch.pitch = gpu::blocks_for(src.width, group) * group;
  const std::int64_t row_bytes = checked_mul(scratch.pitch, rule.wide ? 8 : 4);
  scratch.column_bytes = checked_mul(row_bytes, src.height);
  // A window lower than a segment is added up directly.
  if (2 * rule.half + 1 > kernels::threshold::threshold_segment_rows) {
    scratch.segment_bytes = checked_mul(
        row_bytes, gpu::blocks_for(src.height, kernels::threshold::threshold_segment_rows));
  }
  return scratch;
}

/// Bytes of scratch memory that threshold_launches() takes.
/// \throws InvalidArgument  a row wider than a GPU grid, a size beyond 64 bits
inline std::int64_t threshold_scratch_bytes(const kernels::threshold::ThresholdSource& src,
                                            const kernels::threshold::ThresholdOutput& out,
                                            const WindowRule& rule, std::int64_t pixel_bytes) {
  if (threshold_tile_launch(src, out, rule, pixel_bytes)) return 0;
  const ThresholdScratch scratch = threshold_scratch(src, rule);
  return checked_add(scratch.column_bytes, scratch.segment_bytes);
}

/// How mean and exact_mean are launched. \throws InvalidArgument  as threshold_scratch_bytes()
inline ThresholdLaunches threshold_launches(const kernels::threshold::ThresholdSource& src,
                                            const kernels::threshold::ThresholdOutput& out,
                                            const WindowRule& rule, std::int64_t pixel_bytes,
                                            std::byte* scratch) {
  ThresholdLaunches launches;
  if (const auto tiles = threshold_tile_launch(src, out, rule, pixel_bytes)) {
    launches.add(*tiles);
    return launches;
  }
  const ThresholdScratch parts = threshold_scratch(src, rule);
  const bool by_segments = parts.segment_bytes != 0;
  const kernels::threshold::ColumnArguments down{
      src, scratch, parts.pitch, by_segments ? scratch + parts.column_bytes : nullptr, rule.half};
  const kernels::threshold::RowArguments along{src,       out,       scratch,  parts.pitch,
                                               rule.half, rule.area, rule.bias};
  const unsigned across =
      gpu::grid_x(gpu::blocks_for(parts.pitch, kernels::threshold::threshold_block_threads));
  const unsigned segments =
      gpu::grid_y(gpu::blocks_for(src.height, kernels::threshold::threshold_segment_rows));
  const auto add = [&](ThresholdStep step, gpu::Shape grid, const auto& arguments) {
    launches.add({.kernel = {step, static_cast<int>(pixel_bytes), rule.wide ? 8 : 4, false},
                  .grid = grid,
                  .block = {kernels::threshold::threshold_block_threads},
                  .parameters = gpu::Parameters::of(arguments)});
  };
  if (by_segments) {
    add(ThresholdStep::segments, {across, segments}, down);
    add(ThresholdStep::scan_segments, {across}, down);
  }
  add(ThresholdStep::columns, {across, segments}, down);
  add(ThresholdStep::rows, {gpu::grid_y(src.height)}, along);
  return launches;
}

}  // namespace warpwise::detail::threshold
