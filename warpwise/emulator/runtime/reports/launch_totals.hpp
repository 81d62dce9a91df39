#pragma once

#include "warpwise/emulator/emulator.hpp"

// Sums the counts of the launches that one test of a process makes. The pytest plugin reads the
// sums.
namespace warpwise::emulator::runtime {

/// Returns true between warpwise_emulated_count(true) and warpwise_emulated_count(false).
bool totals_are_asked_for();

/// Adds a launch to the totals, if they are requested.
void add_to_totals(const LaunchResult& result);

}  // namespace warpwise::emulator::runtime

extern "C" {
/// Sets the totals to zero, and starts or stops counting launches. A launch that runs at that time
/// may be counted in part.
void warpwise_emulated_count(bool on);

/// Returns the totals as JSON: "launches", the fields of ExecutionCounts, and the fields of
/// MemoryCounts for the emulated GPU. The text is valid until this thread's next call.
const char* warpwise_emulated_counts();
}
