#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/study/counters/rung_counters.hpp"

// Formats the counters of a launch for people.
namespace warpwise::lab {

/// A metric that is a percentage, and its name in reports.
struct Rate {
  std::string_view metric;
  std::string_view name;  ///< "L1 hits"
};
std::span<const Rate> shown_rates();

/// A reason why warps wait, and the mean number of cycles of this wait before an instruction.
struct Stall {
  double cycles = 0;
  std::string_view metric;
};
/// Returns at most five stalls, the longest first. Leaves out stalls below a tenth of a cycle.
std::vector<Stall> longest_stalls(const CounterValues& values);

/// Writes counts, their counters and the ratios as a table under `title`. Returns an empty text if
/// there are no counts. Leaves out a counter's name that does not fit into `width` characters; a
/// width of 0 means no limit.
std::string compared_text(std::span<const ComparedCount> compared, const std::string& title,
                          std::size_t width = 0);

}  // namespace warpwise::lab
