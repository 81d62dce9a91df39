#pragma once

#include <cstdint>
#include <optional>

#include "warpwise/base/view.hpp"
#include "warpwise/primitives/shared/matching.hpp"

// Decides if find()'s CPU path correlates by Fourier transforms, and chooses their tiles. A place
// is a position of the template in the image.
namespace warpwise::detail::find {

/// Size and number of the tiles that the transforms divide the image into. Two tiles make a pair.
struct TileSize {
  int log_width;  ///< log2 of the width in pixels
  int log_height;
  std::int64_t columns;  ///< columns of places in a tile
  std::int64_t rows;
  std::int64_t pairs_across;
  std::int64_t pairs;

  /// Returns the number of points times the number of passes over them.
  std::int64_t work() const {
    return ((2 * pairs + 1) << (log_width + log_height)) * (log_width + log_height) / 2;
  }
};

/// Returns the tiles with the least work. Returns nothing for sad, if no tile can hold the
/// template, or if direct sums take less time.
inline std::optional<TileSize> transform_tiles(const ConstHostView& templ,
                                               const ConstHostView& image, Measure measure) {
  if (measure == Measure::sad) return {};
  const std::int64_t columns = image.width() - templ.width() + 1;
  const std::int64_t rows = image.height() - templ.height() + 1;
  constexpr int least = 6, most = 11;
  std::optional<TileSize> best;
  for (int w = least; w <= most; ++w) {
    for (int h = least; h <= most; ++h) {
      TileSize t{w,
                 h,
                 (std::int64_t{1} << w) - templ.width() + 1,
                 (std::int64_t{1} << h) - templ.height() + 1,
                 0,
                 0};
      if (t.columns < 1 || t.rows < 1) continue;
      t.pairs_across = (columns + 2 * t.columns - 1) / (2 * t.columns);
      t.pairs = t.pairs_across * ((rows + t.rows - 1) / t.rows);
      if (!best || t.work() < best->work()) best = t;
    }
  }
  // Number of products of pixels that direct summation computes in the time that one pass of a
  // transform takes for one point.
  constexpr std::int64_t pass = 60;
  const std::int64_t products = columns * rows * templ.width() * templ.height();
  if (best && products / pass <= best->work()) best.reset();
  return best;
}

}  // namespace warpwise::detail::find
