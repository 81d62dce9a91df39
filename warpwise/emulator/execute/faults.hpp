#pragma once

// Internal to the emulator: faults of a kernel, as its workers record them.

#include <span>
#include <string>
#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Records a fault at an operation for one lane.
void record_fault(Warp& warp, const Operation& op, FaultKind kind, int lane, std::string message);

/// Formats an operation's line with the lines that it was inlined at: "a.cuh:12, called from
/// b.cu:3".
std::string line_text(const Code& code, std::uint32_t operation);

/// Return an operation's source line, and the lines that it was inlined at, innermost first.
SourcePlace place_of(const Code& code, const ptx::SourceLine& source);
std::vector<SourcePlace> callers_of(const Code& code, const ptx::SourceLine& source);
/// Returns the known names of the functions inlined at a source line, innermost first.
std::vector<std::string> functions_of(const Code& code, const ptx::SourceLine& source);

/// Merges the workers' faults. Faults of one kind on one line with the same inlined calls become
/// one, which names the first block and thread. If there is a race, leaves out faults that may
/// follow from it.
std::vector<Fault> collect_faults(const Launch& launch, std::span<Worker* const> workers);

}  // namespace warpwise::emulator
