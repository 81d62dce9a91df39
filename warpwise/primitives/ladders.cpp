#include "warpwise/primitives/ladders.hpp"

#include <array>

namespace warpwise::ladders {

std::span<const Ladder* const> all() {
  static const std::array ladders = {&convert_ladder(), &copy_ladder(),  &gemv_ladder(),
                                     &match_ladder(),   &sobel_ladder(), &threshold_ladder()};
  return ladders;
}

}  // namespace warpwise::ladders
