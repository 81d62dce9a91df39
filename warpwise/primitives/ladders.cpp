#include "warpwise/primitives/ladders.hpp"

#include <array>

namespace warpwise::ladders {

std::span<const Ladder* const> all() {
  static const std::array<const Ladder*, 3> ladders = {&convert_ladder(), &copy_ladder(),
                                                         &threshold_ladder()};
  return ladders;
}

}  // namespace warpwise::ladders
