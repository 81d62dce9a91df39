#pragma once

// Internal to the emulator: what goes wrong in a kernel, as its workers record it.

#include <span>
#include <string>
#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Records a fault at an operation for one lane.
void record_fault(Warp& warp, const Operation& op, FaultKind kind, int lane, std::string message);

/// "file.cu:12", of an operation, with the lines that it was inlined at.
std::string line_text(const Code& code, std::uint32_t operation);

/// The workers' faults: the first, by block and thread, of each kind on each source line.
std::vector<Fault> collect_faults(const Launch& launch, std::span<Worker* const> workers);

}  // namespace warpwise::emulator
