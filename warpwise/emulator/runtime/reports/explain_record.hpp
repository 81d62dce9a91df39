#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/runtime/reports/launch_record.hpp"

// Records the cost of every kernel launch of a program, for `warpwise run --explain`.
// WARPWISE_EMULATED_EXPLAIN names the file. It holds the order of launches and copies too.
namespace warpwise::emulator::runtime {

/// Returns true if launches are counted for a record.
bool explanation_is_asked_for();

/// Returns the model of the sample that a launch needs for its predicted time; null if it needs
/// none. Only the first launch of a kernel and shape needs one, and only if the command asks for
/// times, by WARPWISE_EMULATED_PACE.
const SampleModel* sample_needed(const std::string& kernel, Dim3 grid, Dim3 block,
                                 std::uint64_t dynamic_shared_bytes);

/// Adds a launch to the others of its kernel and shape, and to the timeline.
/// \param ptx  returns the text of its module  \param sample  as PaceSample::result() returns it,
/// null if it was not needed
void record_launch(const std::string& kernel, Dim3 grid, Dim3 block,
                   std::uint64_t dynamic_shared_bytes, const std::function<std::string()>& ptx,
                   const LaunchResult& result, RecordJson sample = nullptr);

/// Writes the record of a program that is ended before its own end, if it is asked for.
void write_explain_record();

/// Adds a copy to the timeline.
void record_copy(const void* to, const void* from, std::uint64_t bytes);
/// Adds a fill of the GPU's memory to the timeline.
void record_fill(const void* to, std::uint64_t bytes);

}  // namespace warpwise::emulator::runtime
