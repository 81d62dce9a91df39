#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

// Reads the machine code that ptxas makes of a kernel, without a disassembler.
namespace warpwise::lab {

/// Units of a multiprocessor that execute machine instructions.
enum class MachineUnit {
  integer,        ///< additions, logic, comparisons, selections, moves
  multiply,       ///< integer products (IMAD), also those that replace additions and moves
  multiply_wide,  ///< integer products with a result of 64 bits
  float32,
  half,
  float64,
  special,  ///< special functions, conversions of floats, counts of bits
  memory,   ///< loads and stores, but not those of local memory
  local_load,
  local_store,
  shuffle,
  other,  ///< branches, barriers, textures, products of matrices, instructions of the uniform unit
  once,   ///< reads of constants and arguments, which ptxas moves out of loops
};

/// An instruction of the machine code.
struct MachineOperation {
  int ptx_line = 0;  ///< line of the PTX that the instruction was made from, counted from 1
  MachineUnit unit = MachineUnit::other;
  bool loads = false;  ///< true if it loads from a texture, or memory that is not constant
  bool jumps = false;
  /// Scoreboards have the numbers 0 to 5. `clears` is the scoreboard that the instruction's result
  /// clears, -1 for none. `waits` has a bit for each scoreboard that the instruction waits for.
  int clears = -1;
  unsigned waits = 0;

  friend bool operator==(const MachineOperation&, const MachineOperation&) = default;
};

/// Returns a kernel's machine instructions in the order of their addresses, from a file that `ptxas
/// -lineinfo` wrote for CC 7.0 or later. Leaves out NOPs, and functions that ptxas adds for the
/// rare cases of a division and the like. Returns nothing if the bytes are not such a file, or have
/// no line table. Source: opcodes and their numbers in listings of nvdisasm 13.5 for CC 7.5, 8.0,
/// 8.6, 9.0, 10.0 and 12.0; units in Nsight Compute's description of the pipelines.
std::vector<MachineOperation> machine_operations(std::span<const std::byte> cubin,
                                                 const std::string& kernel);

}  // namespace warpwise::lab
