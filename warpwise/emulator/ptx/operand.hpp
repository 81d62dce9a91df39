#pragma once

#include "warpwise/emulator/ptx/lexer.hpp"
#include "warpwise/emulator/ptx/parser.hpp"

// Reads the operands of an instruction.
namespace warpwise::ptx {

/// Reads `%r1`, `{%r1, %r2}`, `[%rd1+4]`, `%p1|%p2`, `!%p1`, `_`, or a number.
/// \param in_call  true: also reads `(a, b)`, a list of a call's arguments or results
/// \throws InvalidArgument  for anything else
Operand read_operand(Tokens& tokens, bool in_call);

}  // namespace warpwise::ptx
