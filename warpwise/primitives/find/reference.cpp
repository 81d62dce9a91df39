#include "warpwise/primitives/find/find.hpp"
#include "warpwise/primitives/shared/reference_scores.hpp"

namespace warpwise::reference {
namespace {

double score_at(ConstHostView templ, ConstHostView image, std::int64_t x, std::int64_t y,
                Measure measure) {
  BlockSums sums;
  for (std::int64_t j = 0; j < templ.height(); ++j) {
    for (std::int64_t i = 0; i < templ.width(); ++i) {
      sums.add(load<std::uint8_t>(templ.row(j), i), load<std::uint8_t>(image.row(y + j), x + i));
    }
  }
  return sums.score(measure);
}

}  // namespace

Finding find(ConstHostView templ, ConstHostView image, HostView map, Measure measure) {
  Finding best{0, 0, 0};
  for (std::int64_t y = 0; y < map.height(); ++y) {
    for (std::int64_t x = 0; x < map.width(); ++x) {
      const double score = score_at(templ, image, x, y, measure);
      const bool first = x == 0 && y == 0;
      const bool better = least_is_best(measure) ? score < best.score : score > best.score;
      if (first || better) best = {x, y, score};
      if (map.type() == ElementType::u32) {
        store(map.row(y), x, static_cast<std::uint32_t>(score));
      } else {
        store(map.row(y), x, static_cast<float>(score));
      }
    }
  }
  return best;
}

}  // namespace warpwise::reference
