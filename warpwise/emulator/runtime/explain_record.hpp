#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// Records the cost of every kernel launch of a program, for `warpwise run --explain`.
// WARPWISE_EMULATED_EXPLAIN names the file.
namespace warpwise::emulator::runtime {

/// Returns true if launches are counted for a record.
bool explanation_is_asked_for();

/// Adds a launch to the others of its kernel and shape. \param ptx  returns the text of its module
void record_launch(const std::string& kernel, Dim3 grid, Dim3 block,
                   std::uint64_t dynamic_shared_bytes, const std::function<std::string()>& ptx,
                   const LaunchResult& result);

}  // namespace warpwise::emulator::runtime
