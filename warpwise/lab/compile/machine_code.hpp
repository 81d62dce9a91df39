#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a disassembler prints of a kernel.
namespace warpwise::lab {

/// An instruction, and the source line that it was made of.
struct MachineInstruction {
  std::uint64_t address = 0;  ///< in bytes, from the kernel's first instruction
  std::string text;           ///< "@P0 LDG.E R4, [R6.64]", labels before it as ".L_x_1: "
  std::string file;           ///< as line information has it; empty: none says
  int line = 0;

  friend bool operator==(const MachineInstruction&, const MachineInstruction&) = default;
};

/// The part of one kernel, by its mangled name, of what `nvdisasm -c` prints; empty without it.
std::string_view text_of_kernel(std::string_view disassembly, std::string_view kernel);

/// The instructions of one kernel, and of the functions that it calls, in what `nvdisasm -g -c`
/// prints, in order, but for NOPs behind the last. What is no instruction is passed over.
std::vector<MachineInstruction> machine_code_in(std::string_view disassembly,
                                                std::string_view kernel);

}  // namespace warpwise::lab
