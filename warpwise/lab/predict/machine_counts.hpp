#pragma once

#include <span>
#include <string_view>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/compile/machine_operations.hpp"

// Counts the machine instructions that a launch executes: how often the emulator ran each line of
// PTX, and what ptxas made of that line.
namespace warpwise::lab {

/// Machine instructions that warps execute, by unit.
struct MachineCounts {
  double all = 0;
  double integer = 0;
  double multiply = 0;  ///< passes of the multiplier: two for a 64-bit product (assumed)
  double float32 = 0;
  double half = 0;
  double float64 = 0;
  double special = 0;
  double memory = 0;
  double shuffle = 0;
  double spill_loads = 0;  ///< loads of spilled values
  double spill_stores = 0;

  MachineCounts& operator*=(double factor);
};

/// Returns the machine instructions of the blocks that ran. ptxas may copy a piece of code, for
/// example a loop's body. The mean of the copies counts then. All counts are 0 without operations.
/// \param ptx  the text whose lines `operations` and `executed` name
MachineCounts machine_counts(std::span<const MachineOperation> operations, std::string_view ptx,
                             std::span<const emulator::PaceCounts::PtxLine> executed);

}  // namespace warpwise::lab
