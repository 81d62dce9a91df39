#pragma once

// Internal to the testbench.

#include <atomic>
#include <cstddef>

#include "warpwise/testbench/launch.hpp"

namespace warpwise::testbench {

/// Number of expectations that a Testbench's launches skipped.
struct Launch::Skips {
  std::atomic<std::size_t> count = 0;  // several threads may check launches
};

}  // namespace warpwise::testbench
