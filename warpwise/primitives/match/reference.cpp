#include "warpwise/primitives/match/match.hpp"
#include "warpwise/primitives/shared/reference_scores.hpp"

namespace warpwise::reference {
namespace {

struct Position {
  std::int64_t x;
  std::int64_t y;
};

double score_of(ConstHostView reference, ConstHostView target, Position block, Position window,
                const MatchOptions& options) {
  BlockSums sums;
  for (std::int64_t y = 0; y < options.block_height; ++y) {
    for (std::int64_t x = 0; x < options.block_width; ++x) {
      sums.add(clamped_pixel(reference, block.x + x, block.y + y),
               clamped_pixel(target, window.x + x, window.y + y));
    }
  }
  return sums.score(options.measure);
}

bool leaves(ConstHostView image, Position window, const MatchOptions& options) {
  return window.x < 0 || window.y < 0 || window.x + options.block_width > image.width() ||
         window.y + options.block_height > image.height();
}

void match_block(ConstHostView reference, ConstHostView target, std::int64_t column,
                 std::int64_t row, HostView displacement, const MatchOptions& options,
                 std::optional<HostView> score) {
  const std::int64_t stride_x = options.stride_x == 0 ? options.block_width : options.stride_x;
  const std::int64_t stride_y = options.stride_y == 0 ? options.block_height : options.stride_y;
  const Position block{column * stride_x, row * stride_y};
  const bool least = least_is_best(options.measure);
  int best_dx = no_match;
  int best_dy = no_match;
  double best = least ? 4294967295.0 : -std::numeric_limits<double>::infinity();
  for (int dy = options.search_y.first; dy <= options.search_y.last; ++dy) {
    for (int dx = options.search_x.first; dx <= options.search_x.last; ++dx) {
      const Position window{block.x + dx, block.y + dy};
      if (options.border == MatchBorder::skip && leaves(target, window, options)) continue;
      const double candidate = score_of(reference, target, block, window, options);
      if (least ? candidate < best : candidate > best) {
        best = candidate;
        best_dx = dx;
        best_dy = dy;
      }
    }
  }
  store(displacement.row(row), 2 * column, static_cast<std::int16_t>(best_dx));
  store(displacement.row(row), 2 * column + 1, static_cast<std::int16_t>(best_dy));
  if (!score) return;
  if (least) {
    store(score->row(row), column, static_cast<std::uint32_t>(best));
  } else {
    store(score->row(row), column, static_cast<float>(best));
  }
}

}  // namespace

void match(ConstHostView reference, ConstHostView target, HostView displacement,
           const MatchOptions& options, std::optional<HostView> score) {
  for (std::int64_t row = 0; row < displacement.height(); ++row) {
    for (std::int64_t column = 0; column < displacement.width(); ++column) {
      match_block(reference, target, column, row, displacement, options, score);
    }
  }
}

}  // namespace warpwise::reference
