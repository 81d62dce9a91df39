#pragma once

#include <cstdint>
#include <string_view>

#include "warpwise/primitives/shared/ladder.hpp"

namespace warpwise::lab {

/// Evaluates an expression of a study's table. An expression may have
/// - whole numbers of 64 bits, and names of variables
/// - the operators + - * / % and parentheses; division truncates as in C
/// - the comparisons == != < <= > >= and &&, whose value is 1 or 0
/// - the functions min(a, b), max(a, b), ceil_div(a, b), round_up(a, multiple)
///
/// \throws InvalidArgument  the expression is malformed, has an unknown name, divides by zero or
///                          exceeds 64 bits; the message has the expression, the place of the
///                          error, and the known names
std::int64_t evaluate(std::string_view expression, const ladders::Variables& variables);

/// Checks that a text is a valid expression, in which any name may be a variable.
/// \throws InvalidArgument  the expression is malformed or has an unknown function; the message has
///                          the expression and the place of the error
void require_expression(std::string_view expression);

}  // namespace warpwise::lab
