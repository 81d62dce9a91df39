#pragma once

// Internal to the emulator: the pieces of a kernel's machine code.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/decode/code.hpp"

namespace warpwise::emulator {

/// The machine code of operations from `first` up to `end`.
struct OperationsCode {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t offset = 0;
  std::vector<std::uint8_t> bytes;
};

/// Makes the machine code for whole warps, and returns its pieces in order; none if it cannot be
/// made.
std::vector<OperationsCode> operations_code(const Code& code, ObserverSet observers);

}  // namespace warpwise::emulator
