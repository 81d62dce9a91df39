#pragma once

#include "warpwise/emulator/emulator.hpp"

// Sums the counts of a process's launches for a test that runs in it. The pytest plugin reads them.
namespace warpwise::emulator::runtime {

/// Returns true between calls of warpwise_emulated_count() with true and false.
bool totals_are_asked_for();

/// Adds a launch, if the totals are asked for.
void add_to_totals(const LaunchResult& result);

}  // namespace warpwise::emulator::runtime

extern "C" {
/// Sets the totals to zero, and starts or ends the counting of launches. Launches that run at the
/// time are counted in part or not.
void warpwise_emulated_count(bool on);

/// Returns the totals as JSON: "launches", the fields of ExecutionCounts, and those of MemoryCounts
/// for the emulated GPU. The text is valid until this thread's next call.
const char* warpwise_emulated_counts();
}
