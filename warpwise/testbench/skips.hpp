#pragma once

// Internal to the testbench.

#include <cstddef>

#include "warpwise/testbench/launch.hpp"

namespace warpwise::testbench {

/// What a Testbench's launches did not look at.
struct Launch::Skips {
  std::size_t count = 0;
};

}  // namespace warpwise::testbench
