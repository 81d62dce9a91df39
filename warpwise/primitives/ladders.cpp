#include "warpwise/primitives/ladders.hpp"

#include <array>

namespace warpwise::ladders {

std::span<const Ladder* const> all() {
  static const std::array ladders = {&copy_ladder(), &gemv_ladder(), &match_ladder(),
                                     &sobel_ladder()};
  return ladders;
}

}  // namespace warpwise::ladders
