#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/study/counters/rung_counters.hpp"

// Shows the counters of a launch to people.
namespace warpwise::lab {

/// A metric that is a percentage, and its name in a report.
struct Rate {
  std::string_view metric;
  std::string_view name;  ///< "L1 hits"
};
std::span<const Rate> shown_rates();

/// A reason why a warp waits, with the mean number of cycles before each of its instructions.
struct Stall {
  double cycles = 0;
  std::string_view metric;
};
/// Returns the stalls of a tenth of a cycle or more, the longest first, at most five.
std::vector<Stall> longest_stalls(const CounterValues& values);

/// Writes counts, their counters and the ratios as a table under `title`; empty without counts. A
/// counter's name is left out if it does not fit into `width` characters; 0 means any width.
std::string compared_text(std::span<const ComparedCount> compared, const std::string& title,
                          std::size_t width = 0);

}  // namespace warpwise::lab
