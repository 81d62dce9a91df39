#pragma once

// Internal to the emulator: the source lines that counts belong to.

#include <vector>

#include "warpwise/emulator/decode/code.hpp"

namespace warpwise::emulator {

/// Returns a source line for each operation. Code inlined from a header for which is_of_toolkit()
/// is true (__ldg, __shfl_sync, expf, ...) gets the calling line in the program, if the PTX names
/// that line. A copy of a structure also gets the calling line, because the compiler places the
/// copy at the structure's definition.
std::vector<ptx::SourceLine> counted_lines(const Code& code);

}  // namespace warpwise::emulator
