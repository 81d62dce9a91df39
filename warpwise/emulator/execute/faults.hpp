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

/// Where an operation's source line is, and the lines that it was inlined at: the innermost call
/// first.
SourcePlace place_of(const Code& code, const ptx::SourceLine& source);
std::vector<SourcePlace> callers_of(const Code& code, const ptx::SourceLine& source);
/// The functions that were inlined there, as far as they are known: the innermost first.
std::vector<std::string> functions_of(const Code& code, const ptx::SourceLine& source);

/// The workers' faults: the first, by block and thread, of each kind on each source line.
std::vector<Fault> collect_faults(const Launch& launch, std::span<Worker* const> workers);

}  // namespace warpwise::emulator
