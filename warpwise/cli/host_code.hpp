#pragma once

#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::cli {

/// Returns the machine code of this CPU that the emulator makes from a file's kernel, below the
/// lines of PTX: disassembled if objdump is installed, else its bytes.
/// \throws Error  none is made; InvalidArgument, CompileError, Unsupported, IoError as explain()
std::string host_code_text(const lab::ExplainRequest& request);

}  // namespace warpwise::cli
