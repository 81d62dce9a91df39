#include "warpwise/live/disparity_colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "warpwise/cpu/parallel.hpp"

namespace warpwise::live {
namespace {

// Colours of equally spaced disparities, from far to near. Other disparities get a mix of two. All
// colours differ clearly from black, the colour of pixels without a match.
constexpr std::array<double, 3> colours[] = {{60, 35, 150},  {50, 100, 235}, {30, 180, 225},
                                             {45, 215, 135}, {160, 235, 60}, {250, 200, 50},
                                             {250, 110, 35}, {185, 25, 20}};

// Mixes the colour of a disparity between 0 and `range` from its two neighbours in the list.
std::array<std::uint8_t, 3> colour_of(float disparity, int range) {
  if (disparity < 0) return {};
  constexpr std::size_t last = std::size(colours) - 1;
  const double place = last * static_cast<double>(disparity) / std::max(range, 1);
  const std::size_t farther = std::min(static_cast<std::size_t>(place), last - 1);
  const double share = place - static_cast<double>(farther);
  std::array<std::uint8_t, 3> mixed{};
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    mixed[i] = static_cast<std::uint8_t>(
        std::lround((1 - share) * colours[farther][i] + share * colours[farther + 1][i]));
  }
  return mixed;
}

}  // namespace

void draw_disparity(ConstHostView disparities, int range, HostView rgb) {
  cpu::parallel_rows(rgb.height(), rgb.row_bytes(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t y = first; y < last; ++y) {
      for (std::int64_t x = 0; x < rgb.width(); ++x) {
        store(rgb.row(y), x, colour_of(load<float>(disparities.row(y), x), range));
      }
    }
  });
}

}  // namespace warpwise::live
