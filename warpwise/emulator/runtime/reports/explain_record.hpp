#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/runtime/reports/launch_record.hpp"

// Records the cost of a program's kernel launches for `warpwise run --explain`, and the order of
// launches and copies. WARPWISE_EMULATED_EXPLAIN names the file.
namespace warpwise::emulator::runtime {

/// Returns true if launches are counted for a record.
bool explanation_is_asked_for();

/// Returns the model for the sample that predicts a launch's time; null if none is needed. Only the
/// first launch of a kernel and shape needs one, and only if WARPWISE_EMULATED_PACE requests times.
const SampleModel* sample_needed(const std::string& kernel, Dim3 grid, Dim3 block,
                                 std::uint64_t dynamic_shared_bytes);

/// Adds a launch to the timeline, and to the launches of its kernel and shape.
/// \param ptx  returns the PTX of the kernel's module
/// \param sample  result of PaceSample::result(); null if not needed
void record_launch(const std::string& kernel, Dim3 grid, Dim3 block,
                   std::uint64_t dynamic_shared_bytes, const std::function<std::string()>& ptx,
                   const LaunchResult& result, RecordJson sample = nullptr);

/// Writes the record of a program that is ended early, if a record is requested.
void write_explain_record();

/// Adds a copy to the timeline.
void record_copy(const void* to, const void* from, std::uint64_t bytes);
/// Adds a fill of the GPU's memory to the timeline.
void record_fill(const void* to, std::uint64_t bytes);

}  // namespace warpwise::emulator::runtime
