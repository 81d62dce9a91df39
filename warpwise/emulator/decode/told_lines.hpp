#pragma once

// Internal to the emulator: the lines that counts are told at.

#include <vector>

#include "warpwise/emulator/decode/code.hpp"

namespace warpwise::emulator {

/// Of each operation its source line; of one that the compiler inlined from a header of the CUDA
/// toolkit or the system (__ldg, __shfl_sync, expf, ...) the line of the program that it is called
/// at, where the PTX says so.
std::vector<ptx::SourceLine> lines_to_tell(const Code& code);

}  // namespace warpwise::emulator
