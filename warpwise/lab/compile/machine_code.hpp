#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Reads a disassembler's listing of a kernel.
namespace warpwise::lab {

/// An instruction, and the source line that it comes from.
struct MachineInstruction {
  std::uint64_t address = 0;  ///< bytes from the kernel's first instruction
  std::string text;           ///< "@P0 LDG.E R4, [R6.64]", with labels before it as ".L_x_1: "
  std::string file;           ///< source file; empty without line information
  int line = 0;

  friend bool operator==(const MachineInstruction&, const MachineInstruction&) = default;
};

/// Returns one kernel's part of the output of `nvdisasm -c`, by its mangled name; empty if missing.
std::string_view text_of_kernel(std::string_view disassembly, std::string_view kernel);

/// Returns the instructions of one kernel, and of the functions that it calls, in the order of the
/// output of `nvdisasm -g -c`. Skips NOPs after the last instruction, and lines without an
/// instruction.
std::vector<MachineInstruction> machine_code_in(std::string_view disassembly,
                                                std::string_view kernel);

}  // namespace warpwise::lab
