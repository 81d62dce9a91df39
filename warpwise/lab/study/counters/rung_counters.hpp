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
  std::string kernel;  ///< plain name
  emulator::Dim3 grid;
  CounterValues values;
};

/// Counters of all launches of a rung, in order.
struct CounterReading {
  Size size;  ///< size of the problem
  std::vector<LaunchCounters> launches;
};

/// Reads the counters, with a run of the rung for each pass. \param patched  as in Counters::read()
/// \throws CountersUnavailable
CounterReading read_counters(Counters& counters, RungRun& run, const Size& size, bool patched);

/// Returns the value of a metric. Returns nothing if it was not read or is no number, for example a
/// hit rate without accesses.
std::optional<double> value_of(const CounterValues& values, std::string_view metric);

/// Returns one number for all launches; nothing if the metric was not read. Metrics that end with
/// ".sum" are added up. A percentage or a ratio is read from the launch with the most instructions.
std::optional<double> value_of(const CounterReading& reading, std::string_view metric);

/// An emulator's count, and the GPU's counter for the same quantity.
struct ComparedCount {
  std::string_view name;    ///< "global load sectors"
  std::string_view metric;  ///< the counter's name
  double counted = 0;       ///< by the emulator
  double measured = 0;      ///< by the GPU
};

/// Returns the counts whose counter was read, except those that are 0 on both sides.
std::vector<ComparedCount> compared_counts(const RungCounts& counts, const CounterReading& reading);

/// Returns why counters and counts cannot be compared: the number of launches or a grid differs.
/// Empty if all grids are the same. A grid may follow from blocks_per_sm, and so from machine code.
std::string why_not_comparable(const CounterReading& reading,
                               const std::vector<emulator::Dim3>& emulated_grids);

}  // namespace warpwise::lab
