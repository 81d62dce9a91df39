#include "bench/gemv_shapes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bench/gpu_run.hpp"

namespace warpwise::bench {

std::vector<std::string> gemv_shapes_summary(const std::vector<Row>& rows) {
  std::vector<std::string> lines;
  for (const bool transposed : {false, true}) {
    std::vector<const Row*> peers;
    for (const Row& row : rows) {
      if (row.beside && row.work.variant.ends_with("transposed") == transposed) {
        peers.push_back(&row);
      }
    }
    if (peers.empty()) continue;
    const auto ratio = [](const Row* row) { return row->beside->ratio; };
    std::ranges::sort(peers, {}, ratio);
    const std::size_t count = peers.size();
    const double median = (ratio(peers[(count - 1) / 2]) + ratio(peers[count / 2])) / 2;
    const auto reach =
        std::ranges::count_if(peers, [&](const Row* row) { return ratio(row) >= 1; });
    const Case& least = peers.front()->work;
    lines.push_back(fmt::format(
        "{}: as fast as {} or faster at {} of {} shapes, median {:.2f}, least {:.2f} ({}x{})",
        transposed ? "transposed" : "plain", least.implementation, reach, count, median,
        ratio(peers.front()), least.width, least.height));
  }
  return lines;
}

}  // namespace warpwise::bench
