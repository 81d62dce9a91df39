#pragma once

// Internal to the emulator and the laboratory: the machine instructions that one PTX instruction
// becomes.

#include <cstdint>
#include <string_view>

#include "warpwise/rules/rules.hpp"

namespace warpwise::rules {

/// The machine instructions of a PTX instruction.
struct MachineCode {
  MachineInstructions first;
  MachineInstructions again;  ///< with the divisor of the last time
};

/// Returns the machine code of a PTX instruction, "div.u32", that becomes more than one instruction
/// or goes to another unit than its class says; null for every other. The counts are those of
/// CC 9.0, on the path that ordinary values take.
/// Source: kernels with 8 and with 40 of each, compiled by nvcc 13.0; opcodes of the difference.
WARPWISE_EXPORT const MachineCode* machine_code(std::string_view ptx);

/// Additions and multiplications of floats that a thread makes, a fused one counted twice.
struct FloatOperations {
  std::uint64_t float32 = 0;
  std::uint64_t float64 = 0;
};

/// Returns the operations of a PTX instruction, "fma.rn.f32"; none for products of matrices and for
/// halves. A division, root or special function has those of its machine code, on the path that
/// ordinary values take.
/// Source: kernels with one of each, compiled by ptxas 13.0 for CC 8.6.
FloatOperations float_operations(std::string_view ptx);

}  // namespace warpwise::rules
