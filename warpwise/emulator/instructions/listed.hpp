#pragma once

// Internal to the emulator: instructions whose handler takes its operands as a list.

#include <cstdint>
#include <functional>
#include <vector>

#include "warpwise/emulator/decode/operation.hpp"
#include "warpwise/emulator/ptx/parser.hpp"

namespace warpwise::emulator {

struct ListedOperation {
  Handler handler = nullptr;
  InstructionClass kind = InstructionClass::tensor;
  std::vector<std::int32_t> list;
  std::uint32_t flags = 0;                ///< a struct of decode/flags.hpp, packed into a word
  const ptx::Operand* address = nullptr;  ///< the memory operand, if any
};

/// Converts a PTX register or literal to an entry of Operation::list. Arguments: the PTX operand,
/// its width, and true if the instruction writes it.
using OperandReader = std::function<std::int32_t(const ptx::Operand&, Width, bool)>;

}  // namespace warpwise::emulator
