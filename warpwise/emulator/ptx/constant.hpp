#pragma once

#include <cstdint>

#include "warpwise/emulator/ptx/lexer.hpp"

namespace warpwise::ptx {

/// Value of a literal or of a constant expression.
struct Constant {
  enum class Kind { s64, u64, f32, f64 };
  Kind kind = Kind::s64;
  std::uint64_t bits = 0;

  bool is_integer() const { return kind == Kind::s64 || kind == Kind::u64; }
};

double to_double(const Constant& constant);

/// Returns true if a constant expression begins here.
bool at_constant(const Tokens& tokens);

/// Reads one number.
/// \throws InvalidArgument  for anything else, and for a number of more than 64 bits
Constant read_literal(Tokens& tokens);

/// Reads `12`, `-0x1FU`, `0f3F800000`, `1.5`, `(4 * 2) << 1`, `(.u64)-1` or `WARP_SZ - 1`.
/// Operators and their precedence are those of C. Operands are 64-bit integers and doubles.
/// \throws InvalidArgument  for anything else, a division by zero, deep nesting, too large a number
Constant read_constant(Tokens& tokens);

/// Reads an integer expression and returns its bits.
std::uint64_t read_integer(Tokens& tokens);

}  // namespace warpwise::ptx
