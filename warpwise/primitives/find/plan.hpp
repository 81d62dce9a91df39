#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/find/arguments.hpp"

// The tiles of find's transforms, and the rule for using transforms.
namespace warpwise::detail::find {

struct TransformTiles {
  int log_width;  ///< log2 of the width in pixels
  int log_height;
  std::int64_t columns;  ///< columns of places in a tile
  std::int64_t rows;
  std::int64_t across;  ///< number of tiles across
  std::int64_t count;

  std::int64_t pixels() const { return std::int64_t{1} << (log_width + log_height); }
  std::int64_t pairs() const { return (count + 1) / 2; }
  /// Returns the number of points transformed forward and back. The template's points are only
  /// transformed forward and count half.
  std::int64_t work() const { return (2 * pairs() + 1) * pixels() / 2; }
  std::int64_t bytes() const {
    return (pairs() + 1) * pixels() * std::int64_t{sizeof(kernels::find::Complex)};
  }
};

/// Returns the tiles with the least work for `rows` rows of places. Returns nothing if no tile can
/// hold the template, or if the tiles would need too much memory or too large a grid.
inline std::optional<TransformTiles> transform_tiles(const kernels::find::FindArguments& a,
                                                     std::int64_t rows) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 31, most_pairs = 65535;
  std::optional<TransformTiles> best;
  for (int w = kernels::find::log_transform_least; w <= kernels::find::log_transform_width; ++w) {
    for (int h = kernels::find::log_transform_least; h <= kernels::find::log_transform_height;
         ++h) {
      TransformTiles t{w,
                       h,
                       (std::int64_t{1} << w) - a.templ_width + 1,
                       (std::int64_t{1} << h) - a.templ_height + 1,
                       0,
                       0};
      if (t.columns < 1 || t.rows < 1) continue;
      t.across = gpu::blocks_for(a.columns, t.columns);
      const std::int64_t down = gpu::blocks_for(rows, t.rows);
      if (t.across > 2 * most_pairs / down) continue;
      t.count = t.across * down;
      if (t.bytes() <= most_bytes && (!best || t.work() < best->work())) best = t;
    }
  }
  return best;
}

/// Returns true if transforms take less time than products by matrix units.
/// \param double_ratio  the GPU's rate of floats divided by its rate of doubles; 0 if unknown
inline bool transforms_pay(const kernels::find::FindArguments& a, std::int64_t rows,
                           const TransformTiles& tiles, int double_ratio) {
  // Number of products of bytes that matrix units compute in the time that a transform takes for
  // one point. An H100, whose ratio is 2, breaks even at 15000 with large images, and at fewer with
  // small ones. The increase for a lower rate of doubles is an estimate.
  constexpr std::int64_t point = 15000, point_of_ratio = 1500;
  const std::int64_t columns = gpu::blocks_for(a.templ_width + 31, 32) * 32;
  const double products = static_cast<double>(a.columns) * static_cast<double>(rows) *
                          static_cast<double>(columns * a.templ_height);
  return products > static_cast<double>(tiles.work()) *
                        static_cast<double>(point + point_of_ratio * std::max(double_ratio - 2, 0));
}

}  // namespace warpwise::detail::find
