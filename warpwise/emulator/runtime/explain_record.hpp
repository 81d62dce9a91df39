#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// The record of every kernel that a program launched and of what it cost, for `warpwise run
// --explain`: WARPWISE_EMULATED_EXPLAIN names its file.
namespace warpwise::emulator::runtime {

/// Whether launches are to be counted for a record.
bool explanation_is_asked_for();

/// Adds a launch to those of its kernel and shape. \param ptx  gives the text of its module
void record_launch(const std::string& kernel, Dim3 grid, Dim3 block,
                   std::uint64_t dynamic_shared_bytes, const std::function<std::string()>& ptx,
                   const LaunchResult& result);

}  // namespace warpwise::emulator::runtime
