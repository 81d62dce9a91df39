#pragma once

#include <string>
#include <vector>

#include "warpwise/emulator/ptx/parser.hpp"

// Finds the source lines of a kernel's instructions in its PTX, and the instructions in loops.
namespace warpwise::lab {

/// Depth to which nested inlined calls are followed, because PTX sets no limit.
inline constexpr int deepest_call = 64;

/// Returns the function of this name that has a body; null if there is none.
const ptx::Function* function_named(const ptx::Module& module, const std::string& name);

/// Returns the file of a source line; empty without one.
std::string file_of(const ptx::Module& module, const ptx::SourceLine& source);

/// Returns the line that a source line was inlined into, outside of all inlined functions.
ptx::SourceLine outermost_line(const ptx::Module& module, ptx::SourceLine source);

/// Returns for each instruction whether a later branch leads back to it or to one before it.
std::vector<bool> in_loops(const ptx::Function& function);

}  // namespace warpwise::lab
