#pragma once

// Internal to the testbench.

#include <atomic>
#include <cstddef>

#include "warpwise/testbench/launch.hpp"

namespace warpwise::testbench {

/// What a Testbench's launches did not look at.
struct Launch::Skips {
  std::atomic<std::size_t> count = 0;  // launches may be looked at on several threads
};

}  // namespace warpwise::testbench
