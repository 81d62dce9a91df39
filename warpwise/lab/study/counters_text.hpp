#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/study/rung_counters.hpp"

// What people are shown of a launch's counters.
namespace warpwise::lab {

/// A metric that is a percentage, and its name in a report.
struct Rate {
  std::string_view metric;
  std::string_view name;  ///< "L1 hits"
};
std::span<const Rate> shown_rates();

/// A reason why a warp waits, and for how many cycles in the mean before each of its instructions.
struct Stall {
  double cycles = 0;
  std::string_view metric;
};
/// The longest first: at most five, of a tenth of a cycle or more.
std::vector<Stall> longest_stalls(const CounterValues& values);

/// Counts, their counters and the ratios as a table under `title`; empty without any. Where `width`
/// has no room for it, a counter's name is left out; 0 stands for any width.
std::string compared_text(std::span<const ComparedCount> compared, const std::string& title,
                          std::size_t width = 0);

}  // namespace warpwise::lab
