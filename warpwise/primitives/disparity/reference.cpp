#include <algorithm>
#include <vector>

#include "warpwise/primitives/disparity/disparity.hpp"
#include "warpwise/primitives/shared/reference_scores.hpp"

namespace warpwise::reference {
namespace {

/// Computes the difference of the block around (x, y) in left and the block around (x − d, y) in
/// right; for every measure, less is more alike.
double difference(ConstHostView left, ConstHostView right, std::int64_t x, std::int64_t y, int d,
                  const DisparityOptions& options) {
  const int half = options.block / 2;
  BlockSums sums;
  for (int j = -half; j <= half; ++j) {
    for (int i = -half; i <= half; ++i) {
      sums.add(clamped_pixel(left, x + i, y + j), clamped_pixel(right, x - d + i, y + j));
    }
  }
  const double score = sums.score(options.measure);
  return least_is_best(options.measure) ? score : -score;
}

}  // namespace

void disparity(ConstHostView left, ConstHostView right, HostView dst,
               const DisparityOptions& options) {
  const std::int64_t width = left.width();
  const int most = static_cast<int>(std::min<std::int64_t>(options.max_disparity, width - 1));
  // scores[x][d] of one row, for d up to min(x, most).
  std::vector<std::vector<double>> scores(static_cast<std::size_t>(width));
  const auto score = [&](std::int64_t x, int d) {
    return scores[static_cast<std::size_t>(x)][static_cast<std::size_t>(d)];
  };
  for (std::int64_t y = 0; y < left.height(); ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      auto& of_pixel = scores[static_cast<std::size_t>(x)];
      of_pixel.clear();
      for (int d = 0; d <= most && d <= x; ++d) {
        of_pixel.push_back(difference(left, right, x, y, d, options));
      }
    }
    for (std::int64_t x = 0; x < width; ++x) {
      const int last = static_cast<int>(std::min<std::int64_t>(most, x));
      int best = 0;
      for (int d = 1; d <= last; ++d) {
        if (score(x, d) < score(x, best)) best = d;
      }
      double result = best;
      if (options.subpixel && best > 0 && best < last) {
        double before = score(x, best - 1), at = score(x, best), after = score(x, best + 1);
        if (options.measure == Measure::sad) {
          before *= before;
          at *= at;
          after *= after;
        }
        result = best + (before - after) / (2 * ((before - at) + (after - at)));
      }
      const std::int64_t matched = x - best;
      int from_right = 0;
      for (int d = 1; d <= most && matched + d < width; ++d) {
        if (score(matched + d, d) < score(matched + from_right, from_right)) from_right = d;
      }
      const bool valid = options.check < 0 || std::abs(best - from_right) <= options.check;
      store(dst.row(y), x, valid ? static_cast<float>(result) : -1.0F);
    }
  }
}

}  // namespace warpwise::reference
