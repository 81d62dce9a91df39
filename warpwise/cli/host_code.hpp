#pragma once

#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::cli {

/// Returns the machine code that the emulator makes for this CPU from a file's kernel. Each part of
/// the code stands below its lines of PTX. It is disassembled if objdump is installed; otherwise it
/// is shown as bytes.
/// \throws Error  the emulator makes no machine code
/// \throws InvalidArgument, CompileError, Unsupported, IoError  as explain()
std::string host_code_text(const lab::ExplainRequest& request);

}  // namespace warpwise::cli
