#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/measure/counters.hpp"
#include "warpwise/lab/study/counters/rung_counts.hpp"

// Reads a GPU's counters of a rung, and puts the emulator's counts beside them.
namespace warpwise::lab {

struct LaunchCounters {
  std::string kernel;  ///< kernel's name without parameters
  emulator::Dim3 grid;
  CounterValues values;
};

/// Counters of all launches of a rung, in order.
struct CounterReading {
  Size size;  ///< size of the problem
  std::vector<LaunchCounters> launches;
};

/// Reads the counters, and runs the rung once for each pass. \param patched  as in Counters::read()
/// \throws CountersUnavailable
CounterReading read_counters(Counters& counters, RungRun& run, const Size& size, bool patched);

/// Returns the value of a metric. Returns nothing if the metric was not read, or if its value is
/// not a number. A hit rate without accesses, for example, is not a number.
std::optional<double> value_of(const CounterValues& values, std::string_view metric);

/// Returns one value of a metric for all launches; nothing if it was not read. Values of metrics
/// that end with ".sum" are added up. A percentage or ratio is that of the launch with most
/// instructions.
std::optional<double> value_of(const CounterReading& reading, std::string_view metric);

/// An emulator's count, and the GPU's hardware counter for the same quantity.
struct ComparedCount {
  std::string_view name;    ///< "global load sectors"
  std::string_view metric;  ///< the counter's name
  double counted = 0;       ///< by the emulator
  double measured = 0;      ///< by the GPU
};

/// Returns the counts whose counter was read, except those that are 0 in the emulator and the GPU.
std::vector<ComparedCount> compared_counts(const RungCounts& counts, const CounterReading& reading);

/// Returns why counters and counts cannot be compared: the number of launches or a grid differs.
/// Returns an empty text if all grids are equal. A grid may depend on blocks_per_sm, which depends
/// on the machine code.
std::string why_not_comparable(const CounterReading& reading,
                               const std::vector<emulator::Dim3>& emulated_grids);

}  // namespace warpwise::lab
