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
  MachineInstructions again;  ///< if the divisor is unchanged, so that its reciprocal may be reused
};

/// Returns the machine code of a PTX instruction such as "div.u32". Returns null for an instruction
/// that counts as one machine instruction, on the unit of its class. The counts are those of
/// CC 9.0, on the path that ordinary values take. Source: for each instruction, two kernels that
/// repeat it 8 and 40 times, compiled by nvcc 13.0. A count is their difference, divided by 32.
WARPWISE_EXPORT const MachineCode* machine_code(std::string_view ptx);

/// Additions and multiplications of floats by a thread. A fused multiply-add counts twice.
struct FloatOperations {
  std::uint64_t float32 = 0;
  std::uint64_t float64 = 0;
};

/// Returns the operations of a PTX instruction such as "fma.rn.f32". Matrix products and operations
/// on halves count none. A division, a root or a special function counts with the operations of its
/// machine code, on the path that ordinary values take.
/// Source: kernels with one instruction each, compiled by ptxas 13.0 for CC 8.6.
FloatOperations float_operations(std::string_view ptx);

}  // namespace warpwise::rules
