#pragma once

// Internal to the emulator: machine code of operations whose result is a predicate.

#include <xbyak/xbyak.h>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// The CPU's registers that hold a warp's register file, its constants and the lanes that run.
struct HostRegisters {
  Xbyak::Reg64 registers;
  Xbyak::Reg64 constants;
  Xbyak::Reg32 lanes;
  bool is_partial = false;  ///< true: lanes that do not run keep their predicates
};

/// Returns true if a comparison or a logical operation of predicates has machine code.
bool has_predicate_code(const Operation& op);
/// Writes the operation's code, which changes the registers rax, rcx, rdx and ymm0 to ymm2.
void write_predicate_code(Xbyak::CodeGenerator& to, const HostRegisters& at, const Operation& op);

/// Loads a predicate, or its opposite if `negated`.
void load_predicate(Xbyak::CodeGenerator& to, const HostRegisters& at, const Xbyak::Reg32& into,
                    std::int32_t operand, bool negated);

}  // namespace warpwise::emulator
