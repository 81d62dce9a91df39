#pragma once

// Internal to the emulator and the command: lists the machine code that a kernel becomes.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "warpwise/base/export.hpp"

namespace warpwise::emulator {

/// Machine code of the CPU for some PTX instructions that follow each other.
struct HostCodePart {
  std::vector<int> ptx_lines;  ///< line numbers from 1
  std::size_t offset = 0;      ///< offset of the part's first byte in the kernel's machine code
  std::vector<std::uint8_t> bytes;
};

/// Returns the machine code that the emulator makes from a kernel, without counts and checks. The
/// code is for warps in which every lane that has not exited is active. Parts follow each other
/// without a gap. The list is empty if this CPU or this build does not support machine code, or if
/// the kernel is too long.
/// \param kernel  its name in the PTX
/// \throws InvalidArgument, Unsupported  in the cases of Program's constructor and kernel()
WARPWISE_EXPORT std::vector<HostCodePart> host_code_of(std::string_view ptx,
                                                       std::string_view kernel);

}  // namespace warpwise::emulator
