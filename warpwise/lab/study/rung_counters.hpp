#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/measure/counters.hpp"
#include "warpwise/lab/study/rung_counts.hpp"

// A GPU's counters of a rung, and the emulator's counts beside them.
namespace warpwise::lab {

struct LaunchCounters {
  std::string kernel;  ///< plain name
  emulator::Dim3 grid;
  CounterValues values;
};

/// Of all launches of a rung, in order.
struct CounterReading {
  Size size;  ///< of the problem
  std::vector<LaunchCounters> launches;
};

/// Runs the rung once for each pass. \param patched  as Counters::read()
/// \throws CountersUnavailable
CounterReading read_counters(Counters& counters, RungRun& run, const Size& size, bool patched);

/// Nothing where the metric was not read, or is no number: a hit rate without an access.
std::optional<double> value_of(const CounterValues& values, std::string_view metric);

/// One number for all launches: what ends with ".sum" is added up; of anything else, a percentage
/// or a ratio, that of the launch with the most instructions. Nothing where it was not read.
std::optional<double> value_of(const CounterReading& reading, std::string_view metric);

/// A count and the counter of the same thing.
struct ComparedCount {
  std::string_view name;    ///< "global load sectors"
  std::string_view metric;  ///< the counter's name
  double counted = 0;       ///< by the emulator
  double measured = 0;      ///< by the GPU
};

/// All counts that have a counter that was read, and of which either is not 0.
std::vector<ComparedCount> compared_counts(const RungCounts& counts, const CounterReading& reading);

/// What stands in the way of comparing them: grids that follow from the GPU's machine code. Empty
/// where they are the same.
std::string why_not_comparable(const CounterReading& reading,
                               const std::vector<emulator::Dim3>& emulated_grids);

}  // namespace warpwise::lab
