#pragma once

#include <cstdint>
#include <string_view>

#include "warpwise/primitives/shared/ladder.hpp"

namespace warpwise::lab {

/// Evaluates an expression of a ladder's table:
/// - whole numbers of 64 bits, and names of variables
/// - the operators + - * / % and parentheses; division truncates as in C
/// - the comparisons == != < <= > >= and &&, whose value is 1 or 0
/// - the functions min(a, b), max(a, b), ceil_div(a, b), round_up(a, multiple)
///
/// \throws InvalidArgument  with the expression and the place: it is malformed, has an unknown name
///                          (the message lists the names), divides by zero or exceeds 64 bits
std::int64_t evaluate(std::string_view expression, const ladders::Variables& variables);

/// Checks that a text is an expression; any name may be a variable.
/// \throws InvalidArgument  with the expression and the place: it is malformed or has an unknown
///                          function
void require_expression(std::string_view expression);

}  // namespace warpwise::lab
