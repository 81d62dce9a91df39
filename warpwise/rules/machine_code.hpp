#pragma once

// Internal to the emulator and the laboratory: the machine instructions that one PTX instruction
// becomes.

#include <string_view>

namespace warpwise::rules {

/// Machine instructions by the unit that executes them; `all` is their sum and what no unit counts.
struct MachineInstructions {
  double all = 0;
  double integer = 0;
  double float32 = 0;
  double float64 = 0;
  double special = 0;
  double conversion = 0;
  double conversion64 = 0;  ///< from and to 64-bit types

  MachineInstructions& operator+=(const MachineInstructions& other) {
    all += other.all;
    integer += other.integer;
    float32 += other.float32;
    float64 += other.float64;
    special += other.special;
    conversion += other.conversion;
    conversion64 += other.conversion64;
    return *this;
  }
};

/// The machine instructions of a PTX instruction.
struct MachineCode {
  MachineInstructions first;
  MachineInstructions again;  ///< with the divisor of the last time
};

/// Returns the machine code of a PTX instruction, "div.u32", that becomes more than one instruction
/// or goes to another unit than its class says; null for every other. The counts are those of
/// CC 9.0, on the path that ordinary values take.
/// Source: kernels with 8 and with 40 of each, compiled by nvcc 13.0; opcodes of the difference.
const MachineCode* machine_code(std::string_view ptx);

}  // namespace warpwise::rules
