#include "bench/growth.hpp"

namespace warpwise::bench {

std::vector<Case> growth_cases() { return {}; }

}  // namespace warpwise::bench
