#include "bench/plain_match.hpp"

#include <algorithm>
#include <cstdlib>

namespace warpwise::bench {
namespace {

constexpr int block = 32;
constexpr int reach = 16;

unsigned block_sad(const std::uint8_t* a, const std::uint8_t* b, std::int64_t pitch) {
  unsigned sum = 0;
  for (int y = 0; y < block; ++y) {
    for (int x = 0; x < block; ++x) {
      sum += static_cast<unsigned>(std::abs(a[y * pitch + x] - b[y * pitch + x]));
    }
  }
  return sum;
}

}  // namespace

// The build defines the macro, so that each set of compiler options gives a function of its own
// name.
void WARPWISE_PLAIN_MATCH(const PlainImages& images, std::int16_t* motion) {
  for (std::int64_t y = 0; y + block <= images.height; y += block) {
    for (std::int64_t x = 0; x + block <= images.width; x += block) {
      const std::int64_t first_dy = std::max<std::int64_t>(-reach, -y);
      const std::int64_t first_dx = std::max<std::int64_t>(-reach, -x);
      const std::int64_t last_dy = std::min<std::int64_t>(reach - 1, images.height - block - y);
      const std::int64_t last_dx = std::min<std::int64_t>(reach - 1, images.width - block - x);
      unsigned best = ~0U;
      for (std::int64_t dy = first_dy; dy <= last_dy; ++dy) {
        for (std::int64_t dx = first_dx; dx <= last_dx; ++dx) {
          const unsigned sum =
              block_sad(images.reference + y * images.pitch + x,
                        images.target + (y + dy) * images.pitch + x + dx, images.pitch);
          if (sum >= best) continue;
          best = sum;
          motion[0] = static_cast<std::int16_t>(dx);
          motion[1] = static_cast<std::int16_t>(dy);
        }
      }
      motion += 2;
    }
  }
}

}  // namespace warpwise::bench
